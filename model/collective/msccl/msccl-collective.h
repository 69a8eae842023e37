/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MSCCL_COLLECTIVE_H
#define GPU_FABRIC_MSCCL_COLLECTIVE_H

#include "msccl-program.h"

#include "ns3/collective-algorithm.h"

#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/**
 * The algorithm of an MSCCL XML file: one operation on a fixed number of ranks, on any hosts, for
 * buffers of the sizes that the file gives. Everything else is left to another algorithm,
 * `Fallback`, or is unsupported. A message uses the NIC of its channel.
 */
class MscclCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool DependsOnBytes(CollectiveOperation operation) const override;
    /// What a file or a sketch is for is small; its fallback is estimated as any algorithm.
    double EstimateMessages(const CollectiveCall& call,
                            const CollectiveLayout& layout,
                            uint32_t channels) const override;

  private:
    /// The contents of the file.
    struct Contents
    {
        std::string file;
        bool wireOverhead{false};
        std::string fault; ///< the first error, with its position
        std::optional<MscclProgram> program;
        std::optional<CollectiveSchedule> schedule;
    };

    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;
    /// Reads the file on first use.
    const Contents& Load() const;
    /// Why the file does not apply to a collective; empty if it does.
    std::string GetMismatch(const CollectiveCall& call, const CollectiveLayout& layout) const;

    std::string m_file;
    std::string m_fallback;
    bool m_wireOverhead{true};
    bool m_checkSize{true};
    mutable std::shared_ptr<const Contents> m_contents;
};

} // namespace ns3

#endif // GPU_FABRIC_MSCCL_COLLECTIVE_H
