/* SPDX-License-Identifier: GPL-2.0-only */
#include "network-fixture.h"

#include "ns3/dcqcn.h"

#include <cmath>
#include <cstdio>

namespace ns3
{

namespace
{

/// A setting of the queue table: a rate, its marking profile and R_AI.
struct DcqcnSetting
{
    const char* name;
    uint64_t rate; ///< [bit/s]
    double kmin;   ///< [byte]
    double kmax;   ///< [byte]
    double pmax;
    double increase; ///< R_AI = R_HAI [bit/s]
};

/// Zhu et al., SIGCOMM 2015, section 5, at 40 Gb/s.
constexpr DcqcnSetting PAPER_40G{"40G", 40'000'000'000, 5e3, 200e3, 0.01, 40e6};
/// The thresholds that scale with the rate, at 100 Gb/s.
constexpr DcqcnSetting SCALED_100G{"100G", 100'000'000'000, 400e3, 1600e3, 0.2, 20e6};

/// Frames of the table [byte], with FCS.
constexpr uint32_t FRAME = 1'000;

/**
 * The fixed point of DCQCN's fluid model (Zhu et al., SIGCOMM 2015, equations 5 to 9; Zhu, Ghobadi,
 * Misra and Padhye, "ECN or Delay", CoNEXT 2016, equation 11) for flows that share a link evenly:
 * each rate in frames a second is C/N, and the probability p of a mark satisfies
 *
 *     alpha a^2 = tau^2 R_AI R_C (b + d) (c + e)
 *
 *     alpha = 1 - (1-p)^(tau' R_C)     a = 1 - (1-p)^(tau R_C)
 *     b = p / ((1-p)^-B - 1)           c = (1-p)^(F B) b
 *     d = p / ((1-p)^(-T R_C) - 1)     e = (1-p)^(F T R_C) d
 *
 * with the CNP interval tau 50 us, the alpha timer tau' 55 us, the rate timer T 55 us, the byte
 * counter B 10 MB in frames, and F 5.
 */
double
GetFluidProbability(const DcqcnSetting& setting, uint32_t flows)
{
    const double tau = 50e-6;
    const double timer = 55e-6;
    const double rate = static_cast<double>(setting.rate) / 8 / FRAME / flows;
    const double increase = setting.increase / 8 / FRAME;
    const double counter = 10e6 / FRAME;
    auto excess = [&](double p) {
        const double mark = -std::log1p(-p);
        const double a = -std::expm1(-tau * rate * mark);
        const double alpha = -std::expm1(-timer * rate * mark);
        const double b = p / std::expm1(counter * mark);
        const double c = std::exp(-5 * counter * mark) * b;
        const double d = p / std::expm1(timer * rate * mark);
        const double e = std::exp(-5 * timer * rate * mark) * d;
        return alpha * a * a - tau * tau * increase * rate * (b + d) * (c + e);
    };
    double low = 1e-7;
    double high = 0.05;
    for (int i = 0; i < 100; ++i)
    {
        double middle = (low + high) / 2;
        (excess(middle) < 0 ? low : high) = middle;
    }
    return low;
}

/// The queue of the fixed point [byte].
double
GetFluidQueue(const DcqcnSetting& setting, uint32_t flows)
{
    return setting.kmin +
           GetFluidProbability(setting, flows) / setting.pmax * (setting.kmax - setting.kmin);
}

} // namespace

/**
 * The mean queue of one egress port that long DCQCN flows share, beside the fluid model's: flows
 * from N hosts over one switch, links of 1 us, so that from a mark to its effect on the queue there
 * are four propagations, 4 us. The flows start together at line rate; the mean is over 0.1 to 0.3
 * s, by when the rates have settled, and over five seeds of the marking.
 *
 * The table of a packet model of one queue to compare with, in KB [calculated elsewhere]:
 *
 *                         N = 2 / 4 / 8    fluid             at enqueue         at dequeue
 *     40G  5/200 KB/1 %, 40 Mb/s           20.2/41.8/93.8    18.0/41.1/72.3     17.5/40.3/85.9
 *     100G 400/1600 KB/20 %, 20 Mb/s       401/403/407       93/112/128         260/365/399
 *
 * Like that model, and as the fluid model knows no hyper increase, R_HAI is R_AI and i stays at 1.
 * Where i counts (the default), nothing changes but at 100 Gb/s with two flows: they go without a
 * CNP for longer than the 10 ms that six times 10 MB take, and then i R_HAI grows every 55 us. The
 * faster flow gets there first, for bytes count, too, and so they do not share evenly (Jain 0.7 to
 * 0.8), and the queue is empty most of the time. DISABLED_AllCells prints both.
 *
 * The port's queue is sampled without the frame in transmission. At enqueue the mean at 100 Gb/s is
 * far below K_min, and below that at dequeue: a mark then reaches the sender later by the time the
 * queue takes to drain, 32 us for 400 KB, and both flows overshoot and are cut together.
 */
class DcqcnQueueTest : public NetworkFixture
{
  protected:
    struct Cell
    {
        double queue{0};       ///< mean [byte]
        double deviation{0};   ///< of the five means, standard [byte]
        double jain{1};        ///< the least of the five
        double worstShare{1};  ///< the largest deviation of a flow's rate from C/N, relative
        double utilization{0}; ///< mean
        uint64_t dropsAndPauses{0};
    };

    Cell Measure(const DcqcnSetting& setting,
                 uint32_t flowCount,
                 bool atDequeue,
                 uint64_t seeds = 5,
                 uint32_t hyperIncreaseLimit = 1)
    {
        const int64_t from = 100 * MS;
        const int64_t to = 300 * MS;
        Cell cell;
        std::vector<double> means;
        for (uint64_t seed = 1; seed <= seeds; ++seed)
        {
            Clear();
            SetUp();
            Set("ns3::RoceNic::CongestionControl", "ns3::Dcqcn");
            Set("ns3::Dcqcn::Preset", "paper");
            Set("ns3::Dcqcn::AdditiveIncrease", std::to_string(setting.increase / 1e6) + "Mbps");
            Set("ns3::Dcqcn::HyperIncrease", std::to_string(setting.increase / 1e6) + "Mbps");
            Set("ns3::Dcqcn::HyperIncreaseLimit", hyperIncreaseLimit);
            Set("ns3::RoceNic::PathMtu", FRAME - 62);
            Set("ns3::RedEcnMarker::Kmin", static_cast<uint64_t>(setting.kmin));
            Set("ns3::RedEcnMarker::Kmax", static_cast<uint64_t>(setting.kmax));
            Set("ns3::RedEcnMarker::Pmax", std::to_string(setting.pmax));
            Set("ns3::RedEcnMarker::ReferenceRate", setting.rate);
            Set("ns3::FabricSwitch::MarkAtDequeue", atDequeue ? "true" : "false");
            Build(Star(flowCount + 1, setting.rate, US), seed);
            std::vector<PlainFlow> list;
            for (uint32_t i = 0; i < flowCount; ++i)
            {
                list.push_back(Flow(i, flowCount, 1'000'000'000'000));
            }
            const uint32_t bottleneck = Nic(flowCount) ^ 1;
            // Every 2 us and a little, so as not to beat with anything.
            double sum = 0;
            uint64_t samples = 0;
            std::function<void()> sample = [&]() {
                sum += static_cast<double>(
                    network.GetFabric()->GetLinkCounters(bottleneck, 4).queueBytes);
                ++samples;
                At(Simulator::Now().GetTimeStep() + 2'017'003, sample);
            };
            std::vector<uint64_t> sent(flowCount + 1);
            std::vector<uint64_t> before(flowCount + 1);
            At(from, [&]() {
                sample();
                for (uint32_t i = 0; i <= flowCount; ++i)
                {
                    before[i] = GetSentBytes(i < flowCount ? Nic(i) : bottleneck);
                }
            });
            Launch(list);
            Simulator::Stop(PicoSeconds(to));
            Simulator::Run();
            double total = 0;
            double squares = 0;
            for (uint32_t i = 0; i < flowCount; ++i)
            {
                sent[i] = GetSentBytes(Nic(i)) - before[i];
                total += static_cast<double>(sent[i]);
                squares += static_cast<double>(sent[i]) * static_cast<double>(sent[i]);
            }
            cell.jain = std::min(cell.jain, total * total / (flowCount * squares));
            const double capacity =
                static_cast<double>(setting.rate) / 8 * static_cast<double>(to - from) * 1e-12;
            for (uint32_t i = 0; i < flowCount; ++i)
            {
                double share = static_cast<double>(sent[i]) * flowCount / capacity;
                cell.worstShare = std::max(cell.worstShare, 1 + std::abs(share - 1));
            }
            cell.utilization += static_cast<double>(GetSentBytes(bottleneck) - before[flowCount]) /
                                capacity / static_cast<double>(seeds);
            cell.dropsAndPauses += GetFabricTotals().dropped + GetFabricTotals().xoff;
            means.push_back(sum / static_cast<double>(samples));
            cell.queue += means.back() / static_cast<double>(seeds);
        }
        for (double mean : means)
        {
            cell.deviation +=
                (mean - cell.queue) * (mean - cell.queue) / static_cast<double>(seeds - 1);
        }
        cell.deviation = std::sqrt(cell.deviation);
        return cell;
    }

    static void Print(const DcqcnSetting& setting, uint32_t flowCount, const char* point, Cell cell)
    {
        std::printf("%-5s N = %u  fluid %6.1f KB  %s %6.1f +- %4.1f KB  Jain %.4f  largest "
                    "deviation from C/N %4.1f %%  utilization %.4f\n",
                    setting.name,
                    flowCount,
                    GetFluidQueue(setting, flowCount) / 1e3,
                    point,
                    cell.queue / 1e3,
                    cell.deviation / 1e3,
                    cell.jain,
                    (cell.worstShare - 1) * 100,
                    cell.utilization);
    }
};

TEST_F(DcqcnQueueTest, FluidFixedPoints)
{
    struct Row
    {
        const DcqcnSetting& setting;
        uint32_t flows;
        double probability;
        double queue; ///< [KB]
    };

    for (const Row& row : {Row{PAPER_40G, 2, .00078, 20.2},
                           Row{PAPER_40G, 4, .00189, 41.8},
                           Row{PAPER_40G, 8, .00455, 93.8},
                           Row{SCALED_100G, 2, .00019, 401.2},
                           Row{SCALED_100G, 4, .00048, 402.9},
                           Row{SCALED_100G, 8, .00117, 407.0},
                           Row{SCALED_100G, 16, .00284, 417.0}})
    {
        EXPECT_NEAR(GetFluidProbability(row.setting, row.flows), row.probability, 5e-6);
        EXPECT_NEAR(GetFluidQueue(row.setting, row.flows) / 1e3, row.queue, 0.05);
    }
    // N = 16 at 40 Gb/s: p is above P_max, and the queue beyond K_max.
    EXPECT_GT(GetFluidProbability(PAPER_40G, 16), 0.01);
}

TEST_F(DcqcnQueueTest, MeanQueueAndSharesAtDequeue)
{
    for (const DcqcnSetting& setting : {PAPER_40G, SCALED_100G})
    {
        for (uint32_t flowCount : {2u, 4u, 8u})
        {
            const bool is40 = setting.rate == PAPER_40G.rate;
            const bool asserted = flowCount == (is40 ? 4 : 8);
            // The others are asked for their shares alone.
            Cell cell = Measure(setting, flowCount, true, asserted ? 5 : 2);
            Print(setting, flowCount, "dequeue", cell);
            EXPECT_GE(cell.jain, 0.99) << setting.name << ", N = " << flowCount;
            EXPECT_EQ(cell.dropsAndPauses, 0u);
            if (asserted)
            {
                const double expected = is40 ? 40.3e3 : 399e3;
                EXPECT_NEAR(cell.queue, expected, (is40 ? 0.1 : 0.05) * expected);
            }
        }
    }
}

TEST_F(DcqcnQueueTest, DISABLED_AllCells)
{
    for (uint32_t limit : {1u, UINT32_MAX})
    {
        for (bool atDequeue : {false, true})
        {
            for (const DcqcnSetting& setting : {PAPER_40G, SCALED_100G})
            {
                for (uint32_t flowCount : {2u, 4u, 8u})
                {
                    Cell cell = Measure(setting, flowCount, atDequeue, 5, limit);
                    std::printf(limit == 1 ? "i = 1     " : "i counts  ");
                    Print(setting, flowCount, atDequeue ? "dequeue" : "enqueue", cell);
                    EXPECT_EQ(cell.dropsAndPauses, 0u);
                    if (limit == 1)
                    {
                        EXPECT_GE(cell.jain, 0.99);
                    }
                }
            }
        }
    }
}

} // namespace ns3
