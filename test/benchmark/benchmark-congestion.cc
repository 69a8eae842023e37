/* SPDX-License-Identifier: GPL-2.0-only */
#include "benchmark-congestion.h"

#include "../../model/engine/fabric-simulator-impl.h"
#include "../../model/rdma/transport-context.h"
#include "../../model/workload/application/plain-flows.h"

#include "ns3/cluster-topology.h"
#include "ns3/fabric-helper.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

constexpr int64_t US = 1'000'000; ///< [ps]
constexpr int64_t MS = 1'000 * US;
constexpr uint8_t PRIORITY = 4;
constexpr uint64_t ENDLESS = 1'000'000'000'000; ///< [byte]
constexpr double RECOVERED = 0.95;              ///< of the line rate

/// So many frames of each sender are seen from SETTLED_PS on, at least 20 ms: at a low rate a flow
/// gets few marks in a given time, and shares are a matter of chance.
constexpr double FRAMES_PER_SENDER = 4'000;

ClusterTopology
MakeStar(uint32_t hosts, uint64_t rateBps)
{
    ClusterTopology topology;
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.AddHost("h" + std::to_string(i), 1);
    }
    const uint32_t node = topology.AddSwitch("s");
    for (uint32_t i = 0; i < hosts; ++i)
    {
        topology.AddLink(i, node, rateBps, US);
    }
    return topology;
}

void
At(int64_t timePs, std::function<void()> action)
{
    Simulator::Schedule(PicoSeconds(timePs) - Simulator::Now(), [action]() { action(); });
}

/// A network of hosts at one switch, host i with port 2 i.
class Star
{
  public:
    Star(uint32_t hosts, uint64_t rateBps, uint64_t seed)
        : m_topology(MakeStar(hosts, rateBps))
    {
        Simulator::SetImplementation(CreateObject<FabricSimulatorImpl>());
        for (const FabricFault& fault : network.Build(m_topology, seed))
        {
            std::fprintf(stderr, "%s\n", fault.ToSentence().c_str());
            std::exit(1);
        }
    }

    ~Star()
    {
        network.Dispose();
        Simulator::Destroy();
    }

    uint32_t GetNic(uint32_t host) const
    {
        return m_topology.GetNodes()[host].ports[0];
    }

    uint64_t GetSentBytes(uint32_t link) const
    {
        return network.GetFabric()->GetLinkCounters(link, PRIORITY).bytes;
    }

    uint32_t Connect(uint32_t from, uint32_t to, RdmaClient* client)
    {
        QueuePairConfig config;
        config.sourceNic = GetNic(from);
        config.destinationNic = GetNic(to);
        config.priority = PRIORITY;
        config.client = client;
        return network.GetTransport()->CreateQueuePair(Simulator::Now().GetTimeStep(), config);
    }

    void Post(uint32_t queuePair, uint64_t bytes)
    {
        network.GetTransport()->Post(Simulator::Now().GetTimeStep(), queuePair, bytes, {});
    }

    FabricHelper network;

  private:
    ClusterTopology m_topology;
};

/// Sends messages until a time, and tells when the last one is acknowledged.
class Competitor : public RdmaClient
{
  public:
    static constexpr uint32_t DEPTH = 4;

    Competitor(Star& star, uint64_t messageBytes, int64_t untilPs)
        : m_star(star),
          m_bytes(messageBytes),
          m_until(untilPs)
    {
    }

    void Start()
    {
        m_queuePair = m_star.Connect(1, 2, this);
        for (m_open = 0; m_open < DEPTH; ++m_open)
        {
            m_star.Post(m_queuePair, m_bytes);
        }
    }

    void MessageDelivered(int64_t, uint32_t, const MessageTag&) override
    {
    }

    void MessageCompleted(int64_t now, uint32_t, const MessageTag&) override
    {
        if (now < m_until)
        {
            m_star.Post(m_queuePair, m_bytes);
        }
        else if (--m_open == 0)
        {
            endPs = now;
        }
    }

    void QueuePairFailed(int64_t, uint32_t) override
    {
    }

    int64_t endPs{-1};

  private:
    Star& m_star;
    uint64_t m_bytes;
    int64_t m_until;
    uint32_t m_queuePair{0};
    uint32_t m_open{0};
};

void
RunIncast(const BenchmarkCongestion& cell, BenchmarkCongestion::Result& result)
{
    const uint32_t n = cell.senders;
    Star star(n + 1, cell.rateBps, cell.seed);
    const Ptr<Fabric> fabric = star.network.GetFabric();
    const uint32_t bottleneck = star.GetNic(n) ^ 1;
    const double bytesPerPs = static_cast<double>(cell.rateBps) / 8e12;
    const int64_t from = BenchmarkCongestion::SETTLED_PS;
    const auto needed = static_cast<int64_t>(FRAMES_PER_SENDER * n * 4'178 / bytesPerPs);
    const int64_t to = from + std::max(20 * MS, needed);
    RdmaClient* nobody = nullptr;
    At(0, [&]() {
        for (uint32_t i = 0; i < n; ++i)
        {
            star.Post(star.Connect(i, n, nobody), ENDLESS);
        }
    });
    double sum = 0;
    uint64_t samples = 0;
    // Every 2 us and a little, so as not to beat with anything.
    std::function<void()> sample = [&]() {
        sum += static_cast<double>(fabric->GetLinkCounters(bottleneck, PRIORITY).queueBytes);
        ++samples;
        At(Simulator::Now().GetTimeStep() + 2'017'003, sample);
    };
    std::vector<double> sent(n);
    uint64_t served = 0;
    At(from, [&]() {
        served = star.GetSentBytes(bottleneck);
        result.early = static_cast<double>(served) / (bytesPerPs * static_cast<double>(from));
        result.earlyPauses = fabric->GetTotals().xoff;
        for (uint32_t i = 0; i < n; ++i)
        {
            sent[i] = -static_cast<double>(star.GetSentBytes(star.GetNic(i)));
        }
        sample();
    });
    Simulator::Stop(PicoSeconds(to));
    Simulator::Run();
    result.late = static_cast<double>(star.GetSentBytes(bottleneck) - served) /
                  (bytesPerPs * static_cast<double>(to - from));
    result.latePauses = fabric->GetTotals().xoff - result.earlyPauses;
    result.queueBytes = sum / static_cast<double>(samples);
    double total = 0;
    double squares = 0;
    for (uint32_t i = 0; i < n; ++i)
    {
        sent[i] += static_cast<double>(star.GetSentBytes(star.GetNic(i)));
        total += sent[i];
        squares += sent[i] * sent[i];
    }
    result.jain = squares == 0 ? 0 : total * total / (n * squares);
}

/// Two flows share a link for some time, then one ends. \returns how long it takes the other from
/// half of the link to RECOVERED of it [us]; -1: more than 50 ms
double
RunRecovery(const BenchmarkCongestion& cell, int64_t sharedPs)
{
    constexpr int64_t PATIENCE = 50 * MS;
    double recoveryUs = -1;
    Star star(3, cell.rateBps, cell.seed);
    Competitor competitor(star,
                          cell.rateBps / 8 / 100'000, // what the link carries in 10 us
                          sharedPs);
    uint32_t queuePair = 0;
    At(0, [&]() {
        queuePair = star.Connect(0, 2, nullptr);
        star.Post(queuePair, ENDLESS);
        competitor.Start();
    });
    int64_t start = -1; // the flow is alone, and has half of the link
    std::function<void()> look = [&]() {
        const int64_t now = Simulator::Now().GetTimeStep();
        const double share =
            star.network.GetTransport()->GetRateController(queuePair).GetRate(now) /
            static_cast<double>(cell.rateBps);
        if (start < 0 && competitor.endPs >= 0 && share >= 0.5)
        {
            start = now;
        }
        if (start >= 0 && share >= RECOVERED)
        {
            recoveryUs = static_cast<double>(now - start) / US;
            Simulator::Stop();
            return;
        }
        At(now + US, look);
    };
    At(sharedPs, look);
    Simulator::Stop(PicoSeconds(sharedPs + PATIENCE));
    Simulator::Run();
    return recoveryUs;
}

} // namespace

BenchmarkCongestion::Result
BenchmarkCongestion::Run() const
{
    Result result;
    if (senders > 1)
    {
        RunIncast(*this, result);
        return result;
    }
    // When the other flow ends is a matter of chance to the one that stays: the worst of five.
    for (const int64_t sharedPs : {10 * MS, 11'300 * US, 12'700 * US, 14'200 * US, 15'900 * US})
    {
        const double us = RunRecovery(*this, sharedPs);
        if (us < 0)
        {
            result.recoveryUs = -1;
            break;
        }
        result.recoveryUs = std::max(result.recoveryUs, us);
    }
    return result;
}

int
BenchmarkCongestion::Print(const std::string& cell)
{
    BenchmarkCongestion benchmark;
    double gigabits = 0;
    char end = 0;
    unsigned senders = 0;
    unsigned seed = 1;
    const int count =
        std::sscanf(cell.c_str(), "%lfGbps:%u:%u%c", &gigabits, &senders, &seed, &end);
    if (count < 2 || count > 3 || gigabits <= 0 || gigabits > 10'000 || senders < 1 ||
        senders > 1'000)
    {
        std::fprintf(stderr,
                     "gpu-fabric-bench: --congestion: RATE:SENDERS[:SEED], such as 100Gbps:8, not "
                     "\"%s\"\n",
                     cell.c_str());
        return 2;
    }
    benchmark.rateBps = static_cast<uint64_t>(gigabits * 1e9);
    benchmark.senders = senders;
    benchmark.seed = seed;
    const Result result = benchmark.Run();
    std::printf("%.4f %.4f %.0f %.4f %.1f %llu %llu\n",
                result.early,
                result.late,
                result.queueBytes,
                result.jain,
                result.recoveryUs,
                static_cast<unsigned long long>(result.earlyPauses),
                static_cast<unsigned long long>(result.latePauses));
    return 0;
}
