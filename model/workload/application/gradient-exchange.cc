/* SPDX-License-Identifier: GPL-2.0-only */
#include "gradient-exchange.h"

#include "job-traffic.h"

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

GradientExchange::~GradientExchange() = default;

void
GradientExchange::Configure(const Setup& setup)
{
    m_setup = setup;
    DoConfigure();
}

void
GradientExchange::DoDispose()
{
    m_communicators.clear();
    m_setup = Setup();
    Object::DoDispose();
}

void
GradientExchange::MakeCommunicators()
{
    for (uint32_t c = 0; c < m_setup.program->communicators.size(); c++)
    {
        m_communicators.push_back(
            std::make_unique<Communicator>(c,
                                           m_setup.program->communicators[c].ranks,
                                           m_setup.traffic->communicators[c].plans,
                                           m_setup.transport,
                                           static_cast<CommunicatorListener*>(this)));
        m_communicators.back()->SetDepth(m_setup.program->communicators[c].depth);
    }
}

void
GradientExchange::CollectiveStarted(int64_t now,
                                    uint32_t communicator,
                                    uint32_t collective,
                                    const CollectiveCall& call)
{
    m_setup.listener->CollectiveStarted(now,
                                        communicator,
                                        collective,
                                        call,
                                        GetIteration(communicator, collective));
}

void
GradientExchange::CollectiveFinished(const CollectiveOutcome& outcome)
{
    m_setup.listener->PieceFinished(outcome,
                                    GetIteration(outcome.communicator, outcome.collective));
}

void
GradientExchange::RankFinished(int64_t /* now */,
                               uint32_t /* communicator */,
                               uint32_t /* rank */,
                               uint32_t /* collective */,
                               int64_t /* lastPostPs */)
{
    NS_FATAL_ERROR(GetInstanceTypeId().GetName() << " runs no collective on a communicator");
}

uint64_t
GradientExchange::GetIteration(uint32_t /* communicator */, uint32_t /* collective */) const
{
    NS_FATAL_ERROR(GetInstanceTypeId().GetName() << " runs no collective on a communicator");
    return 0;
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
