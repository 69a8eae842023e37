/* SPDX-License-Identifier: GPL-2.0-only */
#include "benchmark-kernels.h"

#include "../../model/engine/slotted-wheel.h"
#include "../../model/fabric/switch/dynamic-threshold-buffer.h"
#include "../../model/rdma/congestion/dcqcn.h"
#include "../../model/results/result-database.h"

#include "ns3/counter-random.h"
#include "ns3/object-factory.h"
#include "ns3/path-selector.h"
#include "ns3/string.h"

#include <filesystem>
#include <string>
#include <unistd.h>

using namespace ns3;

namespace
{

/// Makes the compiler believe that a value is used.
template <typename T>
void
Keep(const T& value)
{
    asm volatile("" : : "r"(value) : "memory");
}

/// Nanoseconds of each of `count` operations. \param loop does them all
template <typename F>
double
Time(uint64_t count, F loop)
{
    const double start = GetCpuSeconds();
    loop(count);
    return (GetCpuSeconds() - start) * 1e9 / static_cast<double>(count);
}

/// An event is popped and scheduled again, up to 1 us later, `pending` at a time.
double
TimeLane(uint32_t pending)
{
    SlottedWheel wheel(8);
    wheel.Reserve(0, pending);
    for (uint32_t key = 0; key < pending; ++key)
    {
        wheel.Schedule(static_cast<int64_t>(MixBits(key) % 1'000'000), key);
    }
    return Time(4'000'000, [&](uint64_t count) {
        SlottedWheel::Entry entry{0, 0};
        for (uint64_t i = 0; i < count; ++i)
        {
            wheel.PopBefore(SlottedWheel::NEVER, entry);
            wheel.Schedule(entry.time + 1 + static_cast<int64_t>(MixBits(i) >> 44), entry.key);
        }
        Keep(entry.key);
    });
}

double
TimeEcmp()
{
    Ptr<PathSelector> selector = CreateObject<EcmpPathSelector>();
    return Time(20'000'000, [&](uint64_t count) {
        uint32_t sum = 0;
        for (uint64_t i = 0; i < count; ++i)
        {
            sum += selector->Select(i, 7, 16);
        }
        Keep(sum);
    });
}

/// A frame each 100 ns, a CNP for one of 512.
double
TimeDcqcn()
{
    Ptr<Dcqcn> dcqcn = CreateObjectWithAttributes<Dcqcn>("Preset", StringValue("hpcc"));
    const auto controller = dcqcn->CreateController({100'000'000'000});
    return Time(4'000'000, [&](uint64_t count) {
        int64_t now = 0;
        int64_t sum = 0;
        for (uint64_t i = 0; i < count; ++i, now += 100'000)
        {
            if (i % 512 == 0)
            {
                controller->OnCnp(now);
            }
            sum += RateController::GetGap(controller->OnSend({now, 1'082, 1'000}), 1'082);
        }
        Keep(sum);
    });
}

/// A frame is admitted, and one of 256 frames ago leaves.
double
TimeBuffer()
{
    Ptr<BufferManager> buffer = CreateObject<DynamicThresholdBuffer>();
    const std::vector<BufferPort> ports(32, {"port", 100'000'000'000, 1'000'000, 1'100});
    const std::string error = buffer->Configure(32'000'000, ports, 8, 0x7e);
    return Time(10'000'000, [&](uint64_t count) {
        uint64_t admitted = error.size();
        for (uint64_t i = 0; i < count; ++i)
        {
            admitted += buffer->Admit(i % 32, (i + 5) % 32, 4, 1'062, true) == BufferVerdict::ADMIT;
            if (i >= 256)
            {
                buffer->Release((i - 256) % 32, 4, 1'062);
            }
        }
        Keep(admitted);
    });
}

/// A row of `transfer`, with its share of the transactions.
double
TimeRow()
{
    const std::string file = (std::filesystem::temp_directory_path() /
                              ("gpu-fabric-bench-" + std::to_string(getpid()) + ".sqlite"))
                                 .string();
    ResultDatabase database(file, true);
    const double time = Time(200'000, [&](uint64_t count) {
        TransferRecord record;
        record.job = 0;
        record.bytes = 1'000'000;
        for (uint64_t i = 0; i < count; ++i)
        {
            record.queuePair = static_cast<uint32_t>(i % 512);
            record.message = i / 512;
            record.startPs = static_cast<int64_t>(i) * 1'000'000;
            record.completedPs = record.startPs + 80'000'000;
            database.Insert(1, record, 3, 4);
        }
        database.Flush();
    });
    database.Discard();
    return time;
}

} // namespace

std::vector<BenchmarkFigure>
MeasureKernels(uint32_t runs)
{
    std::vector<BenchmarkFigure> figures{{"event, 64 pending", "ns", {}, {}},
                                         {"event, 4,096 pending", "ns", {}, {}},
                                         {"ECMP choice", "ns", {}, {}},
                                         {"DCQCN, frame sent", "ns", {}, {}},
                                         {"shared buffer, frame", "ns", {}, {}},
                                         {"SQLite row", "ns", {}, {}}};
    for (uint32_t run = 0; run < runs; ++run)
    {
        const double values[] =
            {TimeLane(64), TimeLane(4'096), TimeEcmp(), TimeDcqcn(), TimeBuffer(), TimeRow()};
        for (std::size_t i = 0; i < figures.size(); ++i)
        {
            figures[i].values.push_back(values[i]);
        }
    }
    return figures;
}
