/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COUNTER_RANDOM_H
#define GPU_FABRIC_COUNTER_RANDOM_H

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace ns3
{

/**
 * \file
 * Random numbers as pure functions of (seed, stream, count), so that no draw depends on the order
 * in which objects draw. A stream is an object, named by HashName of its stable name or by a
 * dense id; the object counts its own draws from 0.
 *
 * The generator is Philox2x64-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As
 * Easy as 1, 2, 3", SC'11, section 3.3: key = seed, counter = (count, stream). For one seed it is
 * a bijection of 128-bit counters, so streams never overlap.
 */

/**
 * The 128 bits of Philox2x64-10.
 * \param key the key
 * \param low the first word of the counter
 * \param high the second word of the counter
 * \return both words of the result
 */
constexpr std::array<uint64_t, 2>
Philox2x64(uint64_t key, uint64_t low, uint64_t high)
{
    for (int round = 0; round < 10; round++)
    {
        __extension__ using Product = unsigned __int128;
        const Product product = static_cast<Product>(0xd2b74407b1ce6e93) * low;
        low = static_cast<uint64_t>(product >> 64) ^ key ^ high;
        high = static_cast<uint64_t>(product);
        key += 0x9e3779b97f4a7c15;
    }
    return {low, high};
}

/// 64 random bits.
constexpr uint64_t
CounterRandom(uint64_t seed, uint64_t stream, uint64_t count)
{
    return Philox2x64(seed, count, stream)[0];
}

/// Uniform in [0, 1): a multiple of 2^-53.
constexpr double
CounterUniform(uint64_t seed, uint64_t stream, uint64_t count)
{
    return static_cast<double>(CounterRandom(seed, stream, count) >> 11) * 0x1p-53;
}

/// Normal with mean 0 and standard deviation 1, by Box and Muller (Annals of Mathematical
/// Statistics 29(2), 1958). Always within 8.7 standard deviations, as the radius has 53 bits.
inline double
CounterNormal(uint64_t seed, uint64_t stream, uint64_t count)
{
    const std::array<uint64_t, 2> bits = Philox2x64(seed, count, stream);
    // In (0, 1], whose logarithm exists.
    const double radius = static_cast<double>((bits[0] >> 11) + 1) * 0x1p-53;
    const double angle = static_cast<double>(bits[1] >> 11) * 0x1p-53 * 6.283185307179586;
    return std::sqrt(-2 * std::log(radius)) * std::cos(angle);
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo; RFC 9923), of the bytes of a name.
constexpr uint64_t
HashName(std::string_view name)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (char c : name)
    {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return hash;
}

} // namespace ns3

#endif // GPU_FABRIC_COUNTER_RANDOM_H
