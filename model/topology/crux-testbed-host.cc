/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/host-model.h"

namespace ns3
{

/**
 * Host of the Crux testbed (SIGCOMM 2024, section 6.1): 8 A100 with NVLink and 4 NICs of 200 Gb/s;
 * every two GPUs share a PCIe switch and the NIC on it. Details that the paper omits are taken from
 * a DGX A100.
 */
class CruxTestbedHost : public HostModel
{
  public:
    static TypeId GetTypeId();

    std::string GetModelName() const override
    {
        return "crux-testbed";
    }

  private:
    Plan MakePlan() const override;
};

NS_OBJECT_ENSURE_REGISTERED(CruxTestbedHost);

TypeId
CruxTestbedHost::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CruxTestbedHost")
                            .SetParent<HostModel>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<CruxTestbedHost>();
    return tid;
}

HostModel::Plan
CruxTestbedHost::MakePlan() const
{
    Plan plan;
    plan.nics = 4;
    plan.pcieBps = 252'061'538'000; // 16 lanes of 16 GT/s, 128b/130b
    plan.socketBps = 3 * plan.pcieBps;
    plan.nvswitches = 6;
    plan.nvlinkBps = 2'400'000'000'000;
    return plan;
}

} // namespace ns3
