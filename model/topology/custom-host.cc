/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/host-model.h"
#include "ns3/uinteger.h"

namespace ns3
{

/**
 * A user-defined host, by its attributes: GPUs and NICs spread evenly over PCIe switches, these
 * over root complexes, and NVSwitches, if any, connected to all GPUs. Rates are those of a DGX A100
 * unless PcieRate and NvlinkRate say otherwise.
 */
class CustomHost : public HostModel
{
  public:
    static TypeId GetTypeId();

    std::string GetModelName() const override
    {
        return "custom";
    }

  private:
    Plan MakePlan() const override;

    uint32_t m_gpus{0};
    uint32_t m_nics{0};
    uint32_t m_pcieSwitches{0};
    uint32_t m_roots{0};
    uint32_t m_nvswitches{0};
};

NS_OBJECT_ENSURE_REGISTERED(CustomHost);

TypeId
CustomHost::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CustomHost")
                            .SetParent<HostModel>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<CustomHost>()
                            .AddAttribute("Gpus",
                                          "Number of GPUs.",
                                          UintegerValue(8),
                                          MakeUintegerAccessor(&CustomHost::m_gpus),
                                          MakeUintegerChecker<uint32_t>(1, 1024))
                            .AddAttribute("Nics",
                                          "Number of NICs.",
                                          UintegerValue(4),
                                          MakeUintegerAccessor(&CustomHost::m_nics),
                                          MakeUintegerChecker<uint32_t>(1, 1024))
                            .AddAttribute("PcieSwitches",
                                          "Number of PCIe switches.",
                                          UintegerValue(4),
                                          MakeUintegerAccessor(&CustomHost::m_pcieSwitches),
                                          MakeUintegerChecker<uint32_t>(1, 1024))
                            .AddAttribute("RootComplexes",
                                          "Number of root complexes, one a socket.",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&CustomHost::m_roots),
                                          MakeUintegerChecker<uint32_t>(1, 16))
                            .AddAttribute("Nvswitches",
                                          "Number of NVSwitches; 0: the GPUs have no NVLink.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&CustomHost::m_nvswitches),
                                          MakeUintegerChecker<uint32_t>(0, 64));
    return tid;
}

HostModel::Plan
CustomHost::MakePlan() const
{
    Plan plan;
    plan.gpus = m_gpus;
    plan.nics = m_nics;
    plan.pcieSwitches = m_pcieSwitches;
    plan.roots = m_roots;
    plan.pcieBps = 252'061'538'000; // 16 lanes of 16 GT/s, 128b/130b
    plan.socketBps = 3 * plan.pcieBps;
    plan.nvswitches = m_nvswitches;
    plan.nvlinkBps = 2'400'000'000'000;
    return plan;
}

} // namespace ns3
