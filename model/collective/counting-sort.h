/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COUNTING_SORT_H
#define GPU_FABRIC_COUNTING_SORT_H

#include <cstdint>
#include <numeric>
#include <vector>

namespace ns3
{

/**
 * Numbers 0 to count - 1 sorted stably by their keys, in time O(count + keys).
 * \param count how many
 * \param keys upper bound, exclusive, of all keys
 * \param key gives the key of a number
 */
template <typename Key>
std::vector<uint32_t>
CountingSort(uint32_t count, uint32_t keys, const Key& key)
{
    std::vector<uint32_t> next(static_cast<std::size_t>(keys) + 1);
    for (uint32_t i = 0; i < count; i++)
    {
        next[key(i) + 1]++;
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<uint32_t> sorted(count);
    for (uint32_t i = 0; i < count; i++)
    {
        sorted[next[key(i)]++] = i;
    }
    return sorted;
}

} // namespace ns3

#endif // GPU_FABRIC_COUNTING_SORT_H
