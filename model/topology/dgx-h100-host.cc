/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/host-model.h"

namespace ns3
{

/**
 * DGX H100 (NVIDIA, "DGX H100 System Architecture", 2022): 8 H100, 8 compute NICs, two of each on a
 * PCIe 5.0 switch, two switches per socket; 18 NVLinks of 25 GB/s per GPU in each direction over 4
 * NVSwitches (4 or 5 to each: modelled as equal). The rate between the sockets is an assumption.
 */
class DgxH100Host : public HostModel
{
  public:
    static TypeId GetTypeId();

    std::string GetModelName() const override
    {
        return "dgx-h100";
    }

  private:
    Plan MakePlan() const override;
};

NS_OBJECT_ENSURE_REGISTERED(DgxH100Host);

TypeId
DgxH100Host::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DgxH100Host")
                            .SetParent<HostModel>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<DgxH100Host>();
    return tid;
}

HostModel::Plan
DgxH100Host::MakePlan() const
{
    Plan plan;
    plan.nics = 8;
    plan.pcieBps = 504'123'077'000; // 16 lanes of 32 GT/s, 128b/130b
    plan.socketBps = 2 * plan.pcieBps;
    plan.nvswitches = 4;
    plan.nvlinkBps = 3'600'000'000'000;
    return plan;
}

} // namespace ns3
