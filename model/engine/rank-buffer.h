/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANK_BUFFER_H
#define GPU_FABRIC_RANK_BUFFER_H

#include "ns3/abort.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * What one rank sends to another in one exchange: plain structs, one after the other. They are
 * taken out in the order in which they were put in, as the same types.
 *
 * The bytes are those of memory: all ranks run the same program on the same architecture.
 */
class RankBuffer
{
  public:
    /// What a RankLink sends before the structs.
    struct Header
    {
        int64_t earliest; ///< [ps] of the sender
        uint64_t size;    ///< of the whole, with this header [byte]
    };

    RankBuffer()
        : m_bytes(sizeof(Header))
    {
    }

    /// Appends a struct.
    template <typename T>
    void Put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "only plain structs cross");
        const std::size_t end = m_size;
        SetSize(end + sizeof(T));
        std::memcpy(m_bytes.data() + end, &value, sizeof(T));
    }

    /// Takes the next struct out. \returns false if none is left
    template <typename T>
    bool Take(T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "only plain structs cross");
        if (m_taken == m_size)
        {
            return false;
        }
        NS_ABORT_MSG_IF(m_size - m_taken < sizeof(T),
                        "a struct of " << sizeof(T) << " bytes where " << m_size - m_taken
                                       << " are left");
        std::memcpy(&value, m_bytes.data() + m_taken, sizeof(T));
        m_taken += sizeof(T);
        return true;
    }

    /// Forgets the structs and keeps the memory.
    void Clear()
    {
        m_size = sizeof(Header);
        m_taken = sizeof(Header);
    }

    /// Bytes of the structs, those that were taken out as well.
    std::size_t GetSize() const
    {
        return m_size - sizeof(Header);
    }

    /// The header and the structs, for a RankLink.
    uint8_t* GetBytes()
    {
        return m_bytes.data();
    }

    /// Bytes of the header and the structs, for a RankLink.
    std::size_t GetByteCount() const
    {
        return m_size;
    }

    /// Makes room for bytes of the header and the structs and starts again with taking them out;
    /// what stands there stays. For a RankLink.
    void SetByteCount(std::size_t size)
    {
        SetSize(size);
        m_taken = sizeof(Header);
    }

  private:
    void SetSize(std::size_t size)
    {
        if (size > m_bytes.size())
        {
            m_bytes.resize(2 * size);
        }
        m_size = size;
    }

    std::vector<uint8_t> m_bytes; ///< never shrinks: growing it fills it with zeros
    std::size_t m_size{sizeof(Header)};
    std::size_t m_taken{sizeof(Header)}; ///< what lies before was taken out
};

} // namespace ns3

#endif // GPU_FABRIC_RANK_BUFFER_H
