/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TIES_H
#define GPU_FABRIC_TIES_H

#include <algorithm>
#include <cmath>
#include <vector>

namespace ns3
{

/// Relative difference up to which two computed values are equal. Rounding makes a difference of
/// some 10^-16 for each operation; what users can tell apart differs by far more.
constexpr double TIE_TOLERANCE = 1e-9;

/// Whether a value is greater than another by more than rounding explains, so that no decision
/// depends on the order of operations. Not being above is not transitive: sort with SortWithTies().
inline bool
IsAbove(double a, double b)
{
    return a > b &&
           (std::isinf(a - b) || a - b > TIE_TOLERANCE * std::max(std::abs(a), std::abs(b)));
}

/// The first index of the greatest value; values that are not below it by more than rounding
/// explains count as equal to it. \param values at least one
inline size_t
FindGreatest(const std::vector<double>& values)
{
    const double greatest = *std::max_element(values.begin(), values.end());
    const auto first = std::find_if(values.begin(), values.end(), [greatest](double value) {
        return !IsAbove(greatest, value);
    });
    return static_cast<size_t>(first - values.begin());
}

/// Rounds a computed value to the nearest integer; halves, also those that rounding has made a
/// little less, go up. \param value not negative
inline double
RoundWithTies(double value)
{
    return std::floor(value * (1 + TIE_TOLERANCE) + 0.5);
}

/**
 * Sorts items by a value, the greatest first. A value that is not below the first one of its group
 * by more than TIE_TOLERANCE belongs to the group; within it, the rule decides.
 * \param value of an item
 * \param before rule for equal values: a strict order of all items
 */
template <class Item, class Value, class Before>
void
SortWithTies(std::vector<Item>& items, Value value, Before before)
{
    std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
        return value(a) != value(b) ? value(a) > value(b) : before(a, b);
    });
    for (auto first = items.begin(); first != items.end();)
    {
        const double greatest = value(*first);
        const auto last = std::find_if(first, items.end(), [&](const Item& item) {
            return IsAbove(greatest, value(item));
        });
        std::sort(first, last, before);
        first = last;
    }
}

} // namespace ns3

#endif // GPU_FABRIC_TIES_H
