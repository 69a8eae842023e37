/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TENSOR_QUEUE_H
#define GPU_FABRIC_TENSOR_QUEUE_H

#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

namespace ns3
{

/// A piece of a tensor waiting to be sent.
struct TensorPiece
{
    uint32_t layer{0};  ///< of the tensor, counted from the input
    uint32_t server{0}; ///< the server whose share of the tensor it belongs to
    uint64_t tensor{0}; ///< number of the tensor, assigned by its owner
    uint32_t piece{0};  ///< number within the tensor
    uint64_t bytes{0};  ///< [byte]
};

/**
 * The pieces that are ready, and the credit window of those posted: the queue of ByteScheduler's
 * core (schedulers.md, section 5).
 *
 * A piece may be taken while less than the credit is posted, so that the last one exceeds it. With
 * priority, the piece of the layer nearest the input comes first, and pieces of one layer in order
 * of arrival; otherwise all come in order of arrival.
 */
class TensorQueue
{
  public:
    /// \param creditBytes at least 1 [byte]
    void Configure(bool priority, uint64_t creditBytes);
    void Push(const TensorPiece& piece);
    /// Takes the next piece, which then counts as posted; nothing: none is ready, or the credit is
    /// used up.
    std::optional<TensorPiece> Pop();
    /// A piece that was taken has been sent; returns its credit. \param bytes its size [byte]
    void Return(uint64_t bytes);

    /// Bytes of the pieces taken and not yet returned [byte].
    uint64_t GetPostedBytes() const
    {
        return m_postedBytes;
    }

    /// The maximum ever posted at a time [byte].
    uint64_t GetMaxPostedBytes() const
    {
        return m_maxPostedBytes;
    }

    size_t GetSize() const
    {
        return m_pieces.size();
    }

  private:
    struct Entry
    {
        uint32_t key;
        uint64_t order;
        TensorPiece piece;

        /// Whether the other one comes first.
        bool operator<(const Entry& other) const
        {
            return key != other.key ? key > other.key : order > other.order;
        }
    };

    bool m_priority{false};
    uint64_t m_creditBytes{UINT64_MAX};
    uint64_t m_postedBytes{0};
    uint64_t m_maxPostedBytes{0};
    uint64_t m_pushed{0};
    std::priority_queue<Entry> m_pieces;
};

} // namespace ns3

#endif // GPU_FABRIC_TENSOR_QUEUE_H
