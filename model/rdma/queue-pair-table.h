/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_QUEUE_PAIR_TABLE_H
#define GPU_FABRIC_QUEUE_PAIR_TABLE_H

#include "queue-pair.h"

#include <array>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

namespace ns3
{

/**
 * Queue pairs by id, in blocks that never move. The list of blocks is small enough to stay cached,
 * so a lookup does not miss. A block is allocated with its first queue pair and freed with its last
 * one; ids are not reused.
 */
class QueuePairTable
{
  public:
    /// Creates the next queue pair. \returns its id
    uint32_t Create()
    {
        if (m_count % BLOCK == 0)
        {
            m_blocks.push_back(std::make_unique<Block>());
        }
        Block& block = *m_blocks.back();
        block.queuePairs[m_count % BLOCK].life = QueuePairLife::OPEN;
        ++block.live;
        return m_count++;
    }

    /// A live queue pair.
    QueuePair* operator[](uint32_t id) const
    {
        return &m_blocks[id / BLOCK]->queuePairs[id % BLOCK];
    }

    /// A live queue pair, or null. \param id of a queue pair that was created
    QueuePair* Find(uint32_t id) const
    {
        QueuePair* queuePair = GetPlace(id);
        return queuePair && queuePair->life != QueuePairLife::NONE ? queuePair : nullptr;
    }

    /// The storage of a queue pair, live or not, with `failed` and `life` set; null once it is
    /// freed.
    QueuePair* GetPlace(uint32_t id) const
    {
        Block* block = m_blocks[id / BLOCK].get();
        return block ? &block->queuePairs[id % BLOCK] : nullptr;
    }

    /// Frees a live queue pair.
    void Destroy(uint32_t id)
    {
        std::unique_ptr<Block>& block = m_blocks[id / BLOCK];
        // The last block is still being filled.
        if (--block->live == 0 && id / BLOCK < m_count / BLOCK)
        {
            block.reset();
            return;
        }
        QueuePair& queuePair = block->queuePairs[id % BLOCK];
        queuePair.~QueuePair();
        new (&queuePair) QueuePair();
        queuePair.failed = true;
    }

    /// Number of queue pairs ever created.
    uint32_t GetCount() const
    {
        return m_count;
    }

    void Clear()
    {
        m_blocks.clear();
        m_count = 0;
    }

  private:
    static constexpr uint32_t BLOCK = 32;

    struct Block
    {
        std::array<QueuePair, BLOCK> queuePairs;
        uint32_t live{0};
    };

    std::vector<std::unique_ptr<Block>> m_blocks;
    uint32_t m_count{0};
};

} // namespace ns3

#endif // GPU_FABRIC_QUEUE_PAIR_TABLE_H
