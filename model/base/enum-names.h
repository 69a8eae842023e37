/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ENUM_NAMES_H
#define GPU_FABRIC_ENUM_NAMES_H

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A value of an enumeration and the name by which users write it.
template <class E>
struct EnumName
{
    E value;
    const char* name;
};

/**
 * The single definition of the names of an enumeration. Specialised next to each enumeration that
 * users write or read:
 *
 * \code
 * enum class LossRecovery : uint8_t { GO_BACK_N, IRN };
 *
 * template <>
 * struct EnumNames<LossRecovery>
 * {
 *     static constexpr EnumName<LossRecovery> TABLE[] = {{LossRecovery::GO_BACK_N, "go-back-n"},
 *                                                        {LossRecovery::IRN, "irn"}};
 * };
 * \endcode
 */
template <class E>
struct EnumNames;

/// The name of a value. A value missing from the table is a bug and is shown as "?".
template <class E>
constexpr const char*
ToName(E value)
{
    for (const EnumName<E>& entry : EnumNames<E>::TABLE)
    {
        if (entry.value == value)
        {
            return entry.name;
        }
    }
    return "?";
}

/// The value of a name, or nothing.
template <class E>
std::optional<E>
FromName(const std::string& name)
{
    for (const EnumName<E>& entry : EnumNames<E>::TABLE)
    {
        if (name == entry.name)
        {
            return entry.value;
        }
    }
    return std::nullopt;
}

/// All names, in the order of the table.
template <class E>
std::vector<std::string>
ListNames()
{
    std::vector<std::string> names;
    for (const EnumName<E>& entry : EnumNames<E>::TABLE)
    {
        names.emplace_back(entry.name);
    }
    return names;
}

} // namespace ns3

#endif // GPU_FABRIC_ENUM_NAMES_H
