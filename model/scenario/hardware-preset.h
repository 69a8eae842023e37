/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HARDWARE_PRESET_H
#define GPU_FABRIC_HARDWARE_PRESET_H

#include "../base/diagnostics.h"
#include "../base/typed-block.h"
#include "../document/document-table.h"

#include "ns3/enum-names.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Where a value of a preset comes from.
enum class HardwareValueKind : uint8_t
{
    PUBLISHED, ///< a document of the maker, or the source code of the library
    MEASURED,  ///< a measurement of that very thing
    FITTED,    ///< chosen so that measured collectives are met
    ASSUMED    ///< as like hardware
};

template <>
struct EnumNames<HardwareValueKind>
{
    static constexpr EnumName<HardwareValueKind> TABLE[] = {
        {HardwareValueKind::PUBLISHED, "published"},
        {HardwareValueKind::MEASURED, "measured"},
        {HardwareValueKind::FITTED, "fitted"},
        {HardwareValueKind::ASSUMED, "assumed"}};
};

/// A value of a preset.
struct HardwareValue
{
    AttributeSetting setting; ///< "ns3::Class::Attribute" and its default
    HardwareValueKind kind{HardwareValueKind::ASSUMED};
    std::string source;
};

/**
 * Defaults of attributes that make hosts, libraries and NICs take the time that a kind of hardware
 * takes: `hardware: h100-cx7`. The presets are data files of the project,
 * scenarios/hardware/presets, which are part of the library; a path names a file of one's own.
 */
class HardwarePreset
{
  public:
    /// A value as written.
    struct Entry
    {
        std::string set;
        std::string to;
        HardwareValueKind kind{HardwareValueKind::ASSUMED};
        std::string source;
    };

    std::string name;
    std::string about;     ///< one sentence
    TypedBlock collective; ///< of jobs that name none; no type: as without a preset
    std::vector<HardwareValue> values;

    /// Names of the presets of the library, sorted.
    static std::vector<std::string> GetNames();
    /**
     * \param name of a preset, or a file if it ends in .yaml
     * \param mark where it is written
     * \param scenario the file that names it; a path is relative to it
     */
    static std::optional<HardwarePreset> Load(const std::string& name,
                                              const SourceMark& mark,
                                              const std::string& scenario,
                                              Diagnostics& diagnostics);

    /// \param file name for messages
    static std::optional<HardwarePreset> Parse(const std::string& file,
                                               const std::string& text,
                                               Diagnostics& diagnostics);

  private:
    /// Name and text of each file, compiled in.
    static const std::vector<std::pair<std::string, std::string>>& GetFiles();
};

} // namespace ns3

#endif // GPU_FABRIC_HARDWARE_PRESET_H
