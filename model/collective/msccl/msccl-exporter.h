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
 * Makes an MSCCL program of a schedule. MscclImporter makes the same schedule of it again, in
 * canonical order (CollectiveSchedule::GetCanonical()).
 *
 * Each rank has a thread block for each peer and channel it sends to and for each it receives
 * from, and further ones for what it does within itself, a chain of such operations in one. Waits
 * beyond one become "nop" steps. MSCCL has limits of its own (thread blocks of a GPU, steps of a
 * block) that depend on its version and are not checked.
 */
class MscclExporter
{
  public:
    /// \param schedule without faults; must outlive this
    explicit MscclExporter(const CollectiveSchedule& schedule);

    MscclProgram Export();

  private:
    /// Thread block and step of an event of a rank.
    using Place = std::pair<int32_t, int32_t>;

    /// Part of a transfer that one rank does.
    struct Item
    {
        uint32_t transfer{0};
        bool receives{false};
        std::vector<uint32_t> waits; ///< transfers, without what the thread block implies
    };

    struct Block
    {
        MscclThreadBlock header;
        std::vector<Item> items;
    };

    void CollectBlocks(uint32_t rank, std::vector<Block>& blocks);
    void AddLocal(uint32_t transfer, std::vector<Block>& blocks);
    std::vector<uint32_t> GetWaits(uint32_t transfer, bool gates) const;
    /// Where a transfer has happened at the rank.
    Place GetPlace(uint32_t rank, uint32_t transfer) const;
    void FillGpu(uint32_t rank, const std::vector<Block>& blocks, MscclGpu& gpu);
    MscclStep MakeStep(const Item& item) const;

    CollectiveSchedule m_schedule;
    std::vector<std::vector<uint32_t>> m_transfers; ///< by rank: those it takes part in
    std::vector<Place> m_sent;                      ///< by transfer: at its source
    std::vector<Place> m_received;                  ///< by transfer: at its destination
};

} // namespace ns3

#endif // GPU_FABRIC_MSCCL_EXPORTER_H
