/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_PARAMETERS_H
#define GPU_FABRIC_RUN_PARAMETERS_H

#include "../../model/results/result-rows.h"
#include "../../model/results/run-identity.h"
#include "../../model/scenario/scenario.h"

#include "ns3/attribute.h"
#include "ns3/ecn-marker.h"
#include "ns3/ptr.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * The parameter values of a run, and the origin of each: the command line takes precedence over the
 * scenario, which takes precedence over the default.
 */
class RunParameters
{
  public:
    /**
     * Remembers what the command line has set, then applies the scenario's `defaults:`. Call once,
     * after CommandLine::Parse() and before any object is created.
     * \param given attributes that the command line has set, even to their defaults
     * \param others what else it has set, as "Name=value"
     * \param seedGiven whether the command line sets the seed
     */
    void Apply(const Scenario& scenario,
               const std::vector<std::string>& given = {},
               const std::vector<std::string>& others = {},
               bool seedGiven = false);

    /// Reverts Apply(), so that another scenario can be applied.
    void Restore();

    /// Everything that determines the result of a run of the applied scenario.
    RunIdentity GetIdentity(const Scenario& scenario,
                            const TypedBlock& scheduler,
                            const std::string& version) const;

    /// "Crux PriorityLevels=4".
    static std::string GetBlockText(const TypedBlock& block);

    /// "ns3::Class::Attribute=value" of each attribute that the command line has set, sorted.
    const std::vector<std::string>& GetOverrides() const
    {
        return m_overrides;
    }

    /// Rows of `parameter` for a run: attributes of this module's types and those of others that
    /// are set, and typed blocks.
    /// \param presets what is in force where an attribute is left to a preset
    std::vector<ParameterRow> GetRows(const Scenario& scenario,
                                      const TypedBlock& scheduler,
                                      uint32_t run,
                                      const std::vector<PresetValue>& presets = {}) const;

  private:
    std::vector<std::string> m_overrides;
    std::vector<std::string> m_digests;            ///< of the files that they name
    std::vector<std::string> m_overridden;         ///< names, sorted
    std::map<std::string, std::string> m_scenario; ///< by name: AttributeSetting::origin
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_before; ///< to be restored
    bool m_seedGiven{false};
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_PARAMETERS_H
