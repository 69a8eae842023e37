/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RANK_BUFFER_H
#define GPU_FABRIC_RANK_BUFFER_H

#include "ns3/abort.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{

/**
 * One transmission from one rank to another: plain structs, lists of structs and texts in sequence.
 * They are read in the order in which they were written, with the same types.
 *
 * The bytes are copied from memory: all ranks run the same program on the same architecture.
 */
class RankBuffer
{
  public:
    /// Appends a struct.
    template <typename T>
    void Put(const T& value)
    {
        static_assert(std::is_trivially_copyable_v<T>, "only plain structs cross");
        Append(&value, sizeof(T));
    }

    /// Appends a list of structs.
    template <typename T>
    void PutAll(const std::vector<T>& values)
    {
        static_assert(std::is_trivially_copyable_v<T>, "only plain structs cross");
        Put(uint64_t{values.size()});
        Append(values.data(), values.size() * sizeof(T));
    }

    void PutText(const std::string& text)
    {
        Put(uint64_t{text.size()});
        Append(text.data(), text.size());
    }

    /// Reads the next struct.
    template <typename T>
    T Take()
    {
        static_assert(std::is_trivially_copyable_v<T>, "only plain structs cross");
        T value;
        std::memcpy(&value, Next(sizeof(T)), sizeof(T));
        return value;
    }

    /// Reads a list and appends it to another.
    template <typename T>
    void TakeAll(std::vector<T>& values)
    {
        static_assert(std::is_trivially_copyable_v<T>, "only plain structs cross");
        const auto count = static_cast<std::size_t>(Take<uint64_t>());
        const std::size_t before = values.size();
        values.resize(before + count);
        if (count > 0)
        {
            std::memcpy(values.data() + before, Next(count * sizeof(T)), count * sizeof(T));
        }
    }

    std::string TakeText()
    {
        const auto size = static_cast<std::size_t>(Take<uint64_t>());
        return {reinterpret_cast<const char*>(Next(size)), size};
    }

    /// Whether everything has been read.
    bool IsTaken() const
    {
        return m_taken == m_size;
    }

    /// Clears the contents and keeps the memory.
    void Clear()
    {
        m_size = 0;
        m_taken = 0;
    }

    /// \name For a RankLink
    /// @{
    uint8_t* GetBytes()
    {
        return m_bytes.data();
    }

    std::size_t GetByteCount() const
    {
        return m_size;
    }

    /// Makes room for writing and restarts reading; existing contents are kept.
    void SetByteCount(std::size_t size)
    {
        SetSize(size);
        m_taken = 0;
    }

    /// @}

  private:
    void Append(const void* bytes, std::size_t count)
    {
        if (count > 0)
        {
            const std::size_t end = m_size;
            SetSize(end + count);
            std::memcpy(m_bytes.data() + end, bytes, count);
        }
    }

    const uint8_t* Next(std::size_t count)
    {
        NS_ABORT_MSG_IF(m_size - m_taken < count,
                        count << " bytes are wanted where " << m_size - m_taken << " are left");
        const std::size_t at = m_taken;
        m_taken += count;
        return m_bytes.data() + at;
    }

    void SetSize(std::size_t size)
    {
        if (size > m_bytes.size())
        {
            m_bytes.resize(2 * size);
        }
        m_size = size;
    }

    std::vector<uint8_t> m_bytes; ///< never shrinks: growing it would fill it with zeros
    std::size_t m_size{0};
    std::size_t m_taken{0}; ///< bytes before this position have been read
};

} // namespace ns3

#endif // GPU_FABRIC_RANK_BUFFER_H
