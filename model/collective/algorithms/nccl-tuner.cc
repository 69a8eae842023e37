/* SPDX-License-Identifier: GPL-2.0-only */
#include "nccl-tuner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ns3
{

namespace
{

// By protocol: Simple, LL, LL128 (CollectiveProtocol).
using ByProtocol = std::array<double, 3>;

/// Latencies of an algorithm [us].
struct Latencies
{
    ByProtocol base;    ///< of an operation
    ByProtocol nvlink;  ///< of a step over NVLink
    ByProtocol pcie;    ///< of a step over PCIe
    ByProtocol network; ///< of a step between hosts
};

constexpr Latencies RING{{8.4, 6.6, 14.0}, {3.4, 0.6, 1.9}, {5.7, 1.0, 2.5}, {14.0, 2.7, 4.0}};
constexpr Latencies TREE{{8.4, 6.8, 14.0}, {4.0, 0.6, 1.25}, {4.0, 1.0, 1.9}, {14.0, 5.0, 8.5}};
/// NVLS and NVLSTree: Simple only.
constexpr double NVLS_LATENCY = 25;
constexpr double NVLS_TREE_LATENCY = 14;

/// By architecture (Volta, Ampere, Hopper, Blackwell) and number of hosts (1, 2, more) [GB/s].
using ByArchitecture = std::array<std::array<double, 3>, 4>;
constexpr ByArchitecture LL_MAX{
    {{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282.0, 90.0, 70.0}}};
constexpr ByArchitecture RING_LL128_CHANNEL{
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 36.7}, {40.0, 40.0, 40.0}}};
constexpr ByArchitecture TREE_LL128_CHANNEL{
    {{20.0, 20.0, 20.0}, {20.0, 20.0, 20.0}, {36.7, 36.7, 29.0}, {55.6, 31.7, 20.0}}};
constexpr ByArchitecture TREE_CHANNEL{
    {{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}};
/// Share of NVLink's bandwidth that NVLS reaches, by architecture.
constexpr std::array<double, 4> NVLS_SHARE{0, 0, 0.85, 0.74};

/// Correction of a tree's bandwidth, by protocol and by the power of two of the buffer, from 64 B.
constexpr std::array<std::array<double, 23>, 3> TREE_FACTORS{
    {{.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
     {1., 1., 1., 1., .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1., 1., 1., 1.},
     {1., 1., 1., 1., 1., .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1., 1.}}};

size_t
Index(CollectiveProtocol protocol)
{
    return static_cast<size_t>(protocol);
}

bool
IsOneWay(CollectiveOperation operation)
{
    return operation != CollectiveOperation::ALL_REDUCE;
}

} // namespace

NcclTuner::NcclTuner(const NcclMachine& machine)
    : m_machine(machine)
{
}

double
NcclTuner::GetLatency(CollectiveOperation operation,
                      NcclAlgorithm algorithm,
                      CollectiveProtocol protocol) const
{
    const size_t p = Index(protocol);
    const double hosts = m_machine.hosts;
    const double ranks = m_machine.ranks;
    if (algorithm == NcclAlgorithm::NVLS)
    {
        return NVLS_LATENCY + (hosts > 1 ? 2 * std::log2(hosts) * NVLS_TREE_LATENCY : 0);
    }
    const Latencies& table = algorithm == NcclAlgorithm::TREE ? TREE : RING;
    double local = (m_machine.nvlink ? table.nvlink : table.pcie)[p];
    if (algorithm == NcclAlgorithm::TREE)
    {
        return table.base[p] +
               2 * ((ranks / hosts - 1) * local + std::floor(std::log2(hosts)) * table.network[p]);
    }
    if (hosts > 1)
    {
        // Steps keep pace with the thread that serves the NIC.
        local = std::max(local, protocol == CollectiveProtocol::SIMPLE ? 3.0 : 1.0);
    }
    const bool oneWay = IsOneWay(operation);
    const double steps = (oneWay ? 1 : 2) * (ranks - 1);
    const double between = hosts > 1 ? (oneWay ? hosts - 1 : 2 * hosts) : 0;
    return table.base[p] + std::max(steps - between, 0.0) * local + between * table.network[p];
}

double
NcclTuner::GetRate(CollectiveOperation operation,
                   NcclAlgorithm algorithm,
                   CollectiveProtocol protocol) const
{
    const auto architecture = static_cast<size_t>(m_machine.architecture);
    const size_t column = std::min<uint32_t>(m_machine.hosts, 3) - 1;
    const double channels = m_machine.channels;
    const double ranks = m_machine.ranks;
    double bus = m_machine.localGBps;
    // On two hosts a tree's NIC carries half of what a GPU does, so NCCL reckons with the inside.
    if (m_machine.hosts > (algorithm == NcclAlgorithm::RING ? 1 : 2))
    {
        bus = std::min(bus, m_machine.networkGBps);
    }
    const double llMax = LL_MAX[architecture][column];
    if (algorithm == NcclAlgorithm::NVLS)
    {
        return bus * NVLS_SHARE[architecture] * 1e3;
    }
    if (algorithm == NcclAlgorithm::TREE)
    {
        bus = std::min(bus * .92, channels * TREE_CHANNEL[architecture][column]);
        if (protocol == CollectiveProtocol::LL)
        {
            bus = std::min(bus / 3.8, llMax);
        }
        else if (protocol == CollectiveProtocol::LL128)
        {
            bus = std::min(bus * (m_machine.hosts == 1 ? 7.0 / 9 : 120.0 / 128),
                           channels * TREE_LL128_CHANNEL[architecture][column]);
        }
        return bus / 2 * 1e3;
    }
    if (protocol == CollectiveProtocol::LL)
    {
        bus = std::min(llMax, bus / 2);
    }
    else if (protocol == CollectiveProtocol::LL128)
    {
        bus = std::min(bus * (m_machine.ranks / m_machine.hosts < 2 ? 0.7 : 0.92),
                       channels * RING_LL128_CHANNEL[architecture][column]);
    }
    return bus * ranks / std::max((IsOneWay(operation) ? 1 : 2) * (ranks - 1), 1.0) * 1e3;
}

double
NcclTuner::GetTime(CollectiveOperation operation,
                   uint64_t bytes,
                   NcclAlgorithm algorithm,
                   CollectiveProtocol protocol) const
{
    const bool reduces = operation == CollectiveOperation::ALL_REDUCE;
    const bool isNvls = algorithm == NcclAlgorithm::NVLS;
    if (algorithm == NcclAlgorithm::AUTO || (algorithm != NcclAlgorithm::RING && !reduces) ||
        (isNvls &&
         (m_machine.architecture < GpuArchitecture::HOPPER || !m_machine.nvlink ||
          protocol != CollectiveProtocol::SIMPLE || m_machine.ranks < 2 * m_machine.hosts)) ||
        (protocol == CollectiveProtocol::LL128 && !m_machine.nvlink))
    {
        return std::numeric_limits<double>::infinity();
    }
    double latency = GetLatency(operation, algorithm, protocol);
    double rate = GetRate(operation, algorithm, protocol);
    const auto power = static_cast<size_t>(std::log2(std::max<uint64_t>(bytes / 64, 1)));
    if (algorithm == NcclAlgorithm::TREE && power < TREE_FACTORS[0].size())
    {
        rate *= TREE_FACTORS[Index(protocol)][power];
    }
    if (algorithm == NcclAlgorithm::RING && protocol == CollectiveProtocol::SIMPLE &&
        m_machine.hosts > 1 && reduces &&
        bytes / m_machine.channels / std::max(m_machine.ranks, 1U) >= 64)
    {
        latency *= m_machine.architecture < GpuArchitecture::AMPERE ? 1.9 : 1.4; // its plateau
    }
    return latency + static_cast<double>(bytes) / rate;
}

uint32_t
NcclTuner::GetChannels(uint64_t bytes, NcclAlgorithm algorithm, CollectiveProtocol protocol) const
{
    const uint64_t threads = protocol == CollectiveProtocol::LL128 ? 640 : 512;
    uint64_t threshold = protocol == CollectiveProtocol::SIMPLE ? 64 : 8;
    if (algorithm == NcclAlgorithm::RING && protocol == CollectiveProtocol::LL)
    {
        threshold *= m_machine.ranks;
    }
    if (algorithm == NcclAlgorithm::NVLS)
    {
        return m_machine.channels;
    }
    const uint64_t worth = bytes / (threads * threshold);
    return static_cast<uint32_t>(
        std::min<uint64_t>(std::max<uint64_t>(worth, 1), m_machine.channels));
}

} // namespace ns3
