/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FAULT_INJECTOR_H
#define GPU_FABRIC_FAULT_INJECTOR_H

#include "fault-spec.h"

#include "ns3/fabric.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace ns3
{

/**
 * Applies the faults of a scenario at their times, by ordinary events, which take effect before the
 * frames of the same instant. Callbacks handle what the failure of a host means for the jobs on it.
 */
class FaultInjector
{
  public:
    /// A host goes down. \param returns whether it comes back within the run
    using HostDownCallback = std::function<void(int64_t now, uint32_t node, bool returns)>;
    /// A host is up again.
    using HostUpCallback = std::function<void(int64_t now, uint32_t node)>;

    void SetHostCallbacks(HostDownCallback down, HostUpCallback up);
    /// Schedules faults; called once, at the start of the run. The injector must outlive the run.
    void Start(Ptr<Fabric> fabric, const std::vector<FaultSpec>& faults);

  private:
    void Begin(const FaultSpec& fault);
    void End(const FaultSpec& fault);
    void Flap(const FaultSpec& fault, Time start);
    /// A fault starts or stops degrading its links: each link has the lowest rate of the faults in
    /// force.
    void SetRates(const FaultSpec& fault, bool begins);
    void SetLinks(const FaultSpec& fault, bool up);

    Ptr<Fabric> m_fabric;
    std::vector<FaultSpec> m_faults;
    std::vector<std::vector<uint32_t>> m_losses;         ///< by fault: numbers of its losses
    std::map<uint32_t, std::multiset<uint64_t>> m_rates; ///< by link, of faults in force [bit/s]
    HostDownCallback m_hostDown;
    HostUpCallback m_hostUp;
};

} // namespace ns3

#endif // GPU_FABRIC_FAULT_INJECTOR_H
