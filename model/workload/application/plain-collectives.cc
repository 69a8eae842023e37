/* SPDX-License-Identifier: GPL-2.0-only */
#include "plain-collectives.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PlainCollectives);

TypeId
PlainCollectives::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PlainCollectives")
                            .SetParent<GradientExchange>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<PlainCollectives>();
    return tid;
}

bool
PlainCollectives::Carries(const IterationProgram& program) const
{
    return !program.HasTensors();
}

void
PlainCollectives::DoConfigure()
{
    MakeCommunicators();
    const IterationProgram& program = *GetSetup().program;
    for (uint32_t rank = 0; rank < program.ranks; rank++)
    {
        m_rankInCommunicator.emplace_back(program.GetSlotCount(rank), UINT32_MAX);
    }
    for (uint32_t c = 0; c < program.communicators.size(); c++)
    {
        const std::vector<uint32_t>& ranks = program.communicators[c].ranks;
        for (uint32_t i = 0; i < ranks.size(); i++)
        {
            const uint32_t slot = program.FindSlot(ranks[i], c);
            if (slot != UINT32_MAX)
            {
                m_rankInCommunicator[ranks[i]][slot] = i;
            }
        }
        const uint32_t slot = program.FindSlot(ranks[0], c);
        const std::vector<ProgramStep>& steps = program.GetRankProgram(ranks[0]).steps;
        m_collectivesPerIteration.push_back(static_cast<uint32_t>(
            std::count_if(steps.begin(), steps.end(), [slot](const ProgramStep& step) {
                return !step.compute && step.communicator == slot;
            })));
    }
}

void
PlainCollectives::Issue(int64_t now, uint32_t rank, const ProgramStep& step)
{
    Communicator& communicator =
        GetCommunicator(GetSetup().program->GetCommunicator(rank, step.communicator));
    communicator.Issue(now,
                       m_rankInCommunicator[rank][step.communicator],
                       step.GetCall(static_cast<uint32_t>(communicator.GetRanks().size())));
}

int64_t
PlainCollectives::GetLastPostPs(uint32_t rank, uint32_t communicator, uint64_t number) const
{
    return GetCommunicator(GetSetup().program->GetCommunicator(rank, communicator))
        .GetLastPostPs(static_cast<uint32_t>(number));
}

void
PlainCollectives::RankFinished(int64_t now,
                               uint32_t communicator,
                               uint32_t rank,
                               uint32_t collective,
                               int64_t lastPostPs)
{
    const uint32_t jobRank = GetSetup().program->communicators[communicator].ranks[rank];
    GetSetup().listener->StepEnded(now,
                                   jobRank,
                                   GetSetup().program->FindSlot(jobRank, communicator),
                                   collective,
                                   lastPostPs);
}

uint64_t
PlainCollectives::GetIteration(uint32_t communicator, uint32_t collective) const
{
    return collective / m_collectivesPerIteration[communicator];
}

} // namespace ns3
