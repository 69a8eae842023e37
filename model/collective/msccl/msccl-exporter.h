/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MSCCL_EXPORTER_H
#define GPU_FABRIC_MSCCL_EXPORTER_H

#include "msccl-program.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Converts a schedule to an MSCCL program. MscclImporter converts it back to the same schedule, in
 * canonical order (CollectiveSchedule::GetCanonical()).
 *
 * Each rank has one thread block per peer and channel to send to, one per peer and channel to
 * receive from, and further ones for local operations, with a chain of these in one block. Waits
 * beyond the first become "nop" steps. MSCCL has its own limits (thread blocks per GPU, steps per
 * block), which depend on its version and are not checked.
 */
class MscclExporter
{
  public:
    /// \param schedule without faults; must outlive this object
    explicit MscclExporter(const CollectiveSchedule& schedule);

    MscclProgram Export();

  private:
    /// Thread block and step of an event of a rank.
    using Place = std::pair<int32_t, int32_t>;

    /// The part of a transfer performed by one rank.
    struct Item
    {
        uint32_t transfer{0};
        bool receives{false};
        std::vector<uint32_t> waits; ///< transfers, except those implied by the thread block
    };

    struct Block
    {
        MscclThreadBlock header;
        std::vector<Item> items;
    };

    void CollectBlocks(uint32_t rank, std::vector<Block>& blocks);
    void AddLocal(uint32_t transfer, std::vector<Block>& blocks);
    std::vector<uint32_t> GetWaits(uint32_t transfer, bool gates) const;
    /// The place where a transfer has happened at the rank.
    Place GetPlace(uint32_t rank, uint32_t transfer) const;
    void FillGpu(uint32_t rank, const std::vector<Block>& blocks, MscclGpu& gpu);
    MscclStep MakeStep(const Item& item) const;

    CollectiveSchedule m_schedule;
    std::vector<std::vector<uint32_t>> m_transfers; ///< by rank: the transfers it takes part in
    std::vector<Place> m_sent;                      ///< by transfer: at its source
    std::vector<Place> m_received;                  ///< by transfer: at its destination
};

} // namespace ns3

#endif // GPU_FABRIC_MSCCL_EXPORTER_H
