/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/host-model.h"

namespace ns3
{

/**
 * Azure NDv2 (as described in TACCL, NSDI 2023): 8 V100 connected as in a DGX-1, i.e. NVLinks of 25
 * GB/s in each direction in a hybrid cube mesh, a PCIe 3.0 switch for every two GPUs, two switches
 * per socket, and one NIC of 100 Gb/s, on the switch of GPUs 0 and 1.
 */
class Ndv2Host : public HostModel
{
  public:
    static TypeId GetTypeId();

    std::string GetModelName() const override
    {
        return "ndv2";
    }

  private:
    Plan MakePlan() const override;
};

NS_OBJECT_ENSURE_REGISTERED(Ndv2Host);

TypeId
Ndv2Host::GetTypeId()
{
    static TypeId tid = TypeId("ns3::Ndv2Host")
                            .SetParent<HostModel>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<Ndv2Host>();
    return tid;
}

HostModel::Plan
Ndv2Host::MakePlan() const
{
    Plan plan;
    plan.nics = 1;
    plan.pcieBps = 126'030'769'000;   // 16 lanes of 8 GT/s, 128b/130b
    plan.socketBps = 332'800'000'000; // two UPI links of 20.8 GB/s
    plan.nvlinkBps = 200'000'000'000;
    plan.mesh = {{{0, 1}, 2},
                 {{0, 2}, 1},
                 {{0, 3}, 1},
                 {{0, 4}, 2},
                 {{1, 2}, 1},
                 {{1, 3}, 2},
                 {{1, 5}, 1},
                 {{2, 3}, 2},
                 {{2, 6}, 2},
                 {{3, 7}, 1},
                 {{4, 5}, 2},
                 {{4, 6}, 1},
                 {{4, 7}, 1},
                 {{5, 6}, 1},
                 {{5, 7}, 2},
                 {{6, 7}, 2}};
    return plan;
}

} // namespace ns3
