/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NCCL_TUNER_H
#define GPU_FABRIC_NCCL_TUNER_H

#include "ns3/collective-schedule.h"
#include "ns3/enum-names.h"

#include <cstdint>

namespace ns3
{

/// Generation of the GPUs, which selects columns of NCCL's tables.
enum class GpuArchitecture : uint8_t
{
    VOLTA,
    AMPERE,
    HOPPER,
    BLACKWELL
};

template <>
struct EnumNames<GpuArchitecture>
{
    static constexpr EnumName<GpuArchitecture> TABLE[] = {
        {GpuArchitecture::VOLTA, "Volta"},
        {GpuArchitecture::AMPERE, "Ampere"},
        {GpuArchitecture::HOPPER, "Hopper"},
        {GpuArchitecture::BLACKWELL, "Blackwell"}};
};

/// What NCCL's tuner chooses among.
enum class NcclAlgorithm : uint8_t
{
    AUTO, ///< nothing is forced
    RING,
    TREE,
    NVLS ///< NVLS on one host, NVLSTree on several
};

template <>
struct EnumNames<NcclAlgorithm>
{
    static constexpr EnumName<NcclAlgorithm> TABLE[] = {{NcclAlgorithm::AUTO, "Auto"},
                                                        {NcclAlgorithm::RING, "Ring"},
                                                        {NcclAlgorithm::TREE, "Tree"},
                                                        {NcclAlgorithm::NVLS, "Nvls"}};
};

/// The protocol that is used; AUTO: the tuner's choice.
enum class NcclProtocol : uint8_t
{
    AUTO,
    SIMPLE,
    LL,
    LL128
};

template <>
struct EnumNames<NcclProtocol>
{
    static constexpr EnumName<NcclProtocol> TABLE[] = {{NcclProtocol::AUTO, "Auto"},
                                                       {NcclProtocol::SIMPLE, "Simple"},
                                                       {NcclProtocol::LL, "LL"},
                                                       {NcclProtocol::LL128, "LL128"}};
};

/// The machine as NCCL's tuner sees it.
struct NcclMachine
{
    GpuArchitecture architecture{GpuArchitecture::HOPPER};
    uint32_t ranks{0};
    uint32_t hosts{1};
    uint32_t channels{1};
    double localGBps{0};   ///< bus bandwidth of a ring inside a host [GB/s]
    double networkGBps{0}; ///< of a host's NICs [GB/s]
    bool nvlink{true};     ///< else the GPUs of a host are connected by PCIe
};

/**
 * The time that the tuner of a current NCCL expects of an algorithm under a protocol: latencies of
 * its steps plus bytes over bandwidth (NCCL 2.22, src/graph/tuning.cc, ncclTopoTuneModel and
 * ncclTopoGetAlgoTime; its tables are constants of nccl-tuner.cc). It guides the choice only.
 */
class NcclTuner
{
  public:
    explicit NcclTuner(const NcclMachine& machine);

    /**
     * \param bytes larger buffer of a rank [byte]
     * \returns [us]; infinite if NCCL does not do that
     */
    double GetTime(CollectiveOperation operation,
                   uint64_t bytes,
                   NcclAlgorithm algorithm,
                   CollectiveProtocol protocol) const;

    /**
     * The channels that are worth their threads (NCCL 2.22, src/enqueue.cc): fewer for small
     * buffers.
     * \returns 1 to NcclMachine::channels
     */
    uint32_t GetChannels(uint64_t bytes,
                         NcclAlgorithm algorithm,
                         CollectiveProtocol protocol) const;

  private:
    double GetLatency(CollectiveOperation operation,
                      NcclAlgorithm algorithm,
                      CollectiveProtocol protocol) const;
    /// Bytes of the buffer a microsecond.
    double GetRate(CollectiveOperation operation,
                   NcclAlgorithm algorithm,
                   CollectiveProtocol protocol) const;

    NcclMachine m_machine;
};

} // namespace ns3

#endif // GPU_FABRIC_NCCL_TUNER_H
