/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/host-model.h"

namespace ns3
{

/**
 * DGX A100 (NVIDIA, "DGX A100 System Architecture", 2020): 8 A100, 8 compute NICs, two of each on a
 * PCIe 4.0 switch, two switches per socket; 12 NVLinks of 25 GB/s per GPU in each direction, two to
 * each of 6 NVSwitches. The rate between the sockets is an assumption.
 */
class DgxA100Host : public HostModel
{
  public:
    static TypeId GetTypeId();

    std::string GetModelName() const override
    {
        return "dgx-a100";
    }

  private:
    Plan MakePlan() const override;
};

NS_OBJECT_ENSURE_REGISTERED(DgxA100Host);

TypeId
DgxA100Host::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DgxA100Host")
                            .SetParent<HostModel>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<DgxA100Host>();
    return tid;
}

HostModel::Plan
DgxA100Host::MakePlan() const
{
    Plan plan;
    plan.nics = 8;
    plan.pcieBps = 252'061'538'000; // 16 lanes of 16 GT/s, 128b/130b
    plan.socketBps = 3 * plan.pcieBps;
    plan.nvswitches = 6;
    plan.nvlinkBps = 2'400'000'000'000;
    return plan;
}

} // namespace ns3
