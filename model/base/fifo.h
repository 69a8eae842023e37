/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FIFO_H
#define GPU_FABRIC_FIFO_H

#include <cstddef>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * A queue of plain values in one block of memory, which grows to the most that were in it at a time
 * and is then reused: no allocation an element, unlike std::deque.
 */
template <typename T>
class Fifo
{
  public:
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    size_t GetSize() const
    {
        return m_size;
    }

    /// The oldest element; there must be one.
    const T& Front() const
    {
        return m_places[m_first];
    }

    void Push(const T& value)
    {
        if (m_size == m_places.size())
        {
            Grow();
        }
        m_places[(m_first + m_size) & (m_places.size() - 1)] = value;
        m_size++;
    }

    /// Removes the oldest element; there must be one. \returns it
    T Pop()
    {
        T value = std::move(m_places[m_first]);
        m_first = (m_first + 1) & (m_places.size() - 1);
        m_size--;
        return value;
    }

    void Clear()
    {
        m_first = 0;
        m_size = 0;
    }

  private:
    void Grow()
    {
        std::vector<T> places(m_places.empty() ? 4 : 2 * m_places.size()); // a power of two
        for (size_t i = 0; i < m_size; i++)
        {
            places[i] = std::move(m_places[(m_first + i) & (m_places.size() - 1)]);
        }
        m_places = std::move(places);
        m_first = 0;
    }

    std::vector<T> m_places;
    size_t m_first{0};
    size_t m_size{0};
};

} // namespace ns3

#endif // GPU_FABRIC_FIFO_H
