/* SPDX-License-Identifier: GPL-2.0-only */
#include "gradient-exchange.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("GradientExchange");

NS_OBJECT_ENSURE_REGISTERED(GradientExchange);

namespace
{

/// One object of each registered type that can be created, to query what it carries.
std::vector<Ptr<GradientExchange>>
MakeAll()
{
    std::vector<Ptr<GradientExchange>> all;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type.IsChildOf(GradientExchange::GetTypeId()) && type.HasConstructor())
        {
            all.push_back(DynamicCast<GradientExchange>(ObjectFactory(type.GetName()).Create()));
        }
    }
    return all;
}

} // namespace

TypeId
GradientExchange::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GradientExchange").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

Ptr<GradientExchange>
GradientExchange::Create(const Setup& setup)
{
    Ptr<GradientExchange> chosen;
    for (const Ptr<GradientExchange>& exchange : MakeAll())
    {
        if (exchange->Carries(*setup.program))
        {
            NS_ABORT_MSG_IF(chosen,
                            chosen->GetInstanceTypeId().GetName()
                                << " and " << exchange->GetInstanceTypeId().GetName()
                                << " both carry the program");
            chosen = exchange;
        }
    }
    NS_ABORT_MSG_IF(!chosen, "no gradient exchange carries the program");
    NS_LOG_INFO(chosen->GetInstanceTypeId().GetName()
                << " carries a program of " << setup.program->ranks << " ranks");
    chosen->Configure(setup);
    return chosen;
}

void
GradientExchange::SetSchedule(uint64_t /* iteration */, const TensorSchedule& /* schedule */)
{
    NS_ABORT_MSG(GetInstanceTypeId().GetName() << " does not send gradients as tensors");
}

const std::vector<TensorSample>&
GradientExchange::GetSamples() const
{
    static const std::vector<TensorSample> none;
    return none;
}

} // namespace ns3
