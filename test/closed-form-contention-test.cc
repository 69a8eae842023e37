/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-run-fixture.h"

using namespace ns3;

using ClosedFormContentionTest = SharedLinkFixture;

TEST_F(ClosedFormContentionTest, Explore)
{
    constexpr uint64_t BYTES = 25'000'000;
    double d = MeasureSolo({"a", 5 * MS, BYTES});
    std::cout << "D " << d / MS << " expected " << 2 * (WireBytes(BYTES/2) + AckBytes(BYTES/2)) * 8 / RATE * 1000 << "\n";
    for (double delta : {0.0, 0.25, 0.5, 0.75, 1.0})
    {
        RunPair({"a", d, BYTES}, {"b", d, BYTES, 0, delta * d}, "None", 20 * d);
        std::cout << delta << " " << Period("a", 2*d) / d << " " << Period("b", 2*d) / d << "\n";
        for (auto& row : Rows("SELECT job, iteration, (start_ps)/" + std::to_string(d) + ", end_ps/" + std::to_string(d) + " FROM iteration ORDER BY iteration, job"))
            std::cout << "  " << row << "\n";
    }
}
