/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/gpu-time-audit.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace tests
{

class GpuTimeAuditTest : public testing::Test
{
  protected:
    static SpanRecord Span(int64_t startPs, int64_t endPs, uint32_t job = 0)
    {
        return {job, 0, GpuTimeKind::COMPUTE, startPs, endPs};
    }

    static void Expect(const std::vector<SpanRecord>& spans,
                       const std::vector<GpuAllocationRecord>& allocations,
                       int64_t totalPs,
                       int64_t oncePs)
    {
        const GpuTimeAudit audit = GpuTimeAudit::Make(spans, allocations, 100);
        EXPECT_EQ(audit.totalPs, totalPs);
        EXPECT_EQ(audit.oncePs, oncePs);
    }

    /// Job 0 holds the GPU in [10, 60), job 1 in [60, 80).
    const std::vector<GpuAllocationRecord> m_held{{0, 0, 10, 60}, {0, 1, 60, 80}};
};

TEST_F(GpuTimeAuditTest, ExactSplitCoversAllOnce)
{
    // unallocated 10 + 20 + 30 + 20 + unallocated 20
    Expect({Span(10, 30), Span(30, 60), Span(60, 80, 1)}, m_held, 100, 100);
    Expect({Span(60, 80, 1), Span(30, 60), Span(10, 30)}, m_held, 100, 100);
    Expect({}, {}, 100, 100);
}

TEST_F(GpuTimeAuditTest, GapIsMissing)
{
    // [30, 35) is covered by nothing.
    Expect({Span(10, 30), Span(35, 60), Span(60, 80, 1)}, m_held, 95, 95);
    // A GPU that is held and has no span at all: 10 + 20 unallocated.
    Expect({}, m_held, 30, 30);
}

TEST_F(GpuTimeAuditTest, OverlapCountsTwice)
{
    // [28, 30) twice: once is 100 - 2.
    Expect({Span(10, 30), Span(28, 60), Span(60, 80, 1)}, m_held, 102, 98);
}

TEST_F(GpuTimeAuditTest, GapAndOverlapDoNotCancel)
{
    // A gap [30, 35) and an overlap [55, 60): the sum is right, 10 ps are not covered once.
    Expect({Span(10, 30), Span(35, 60), Span(55, 60), Span(60, 80, 1)}, m_held, 100, 90);
}

TEST_F(GpuTimeAuditTest, SpanOfAJobThatDoesNotHoldTheGpuIsNoCover)
{
    Expect({Span(10, 30), Span(30, 60), Span(60, 80, 0)}, m_held, 100, 80);
    // Not even in part: [50, 70) of job 0 counts for nothing, and [60, 70) is job 1's.
    Expect({Span(10, 50), Span(50, 70), Span(70, 80, 1)}, m_held, 100, 80);
}

TEST_F(GpuTimeAuditTest, AllocationsMustNotOverlap)
{
    // Both jobs hold it in [50, 60), and both have spans there.
    Expect({Span(0, 60), Span(50, 100, 1)}, {{0, 0, 0, 60}, {0, 1, 50, 100}}, 110, 90);
}

TEST_F(GpuTimeAuditTest, TimeBeyondTheEndIsAFault)
{
    // [80, 100) is unallocated no more; 5 ps lie beyond the end.
    Expect({Span(0, 105)}, {{0, 0, 0, 105}}, 105, 95);
}

} // namespace tests
} // namespace ns3
