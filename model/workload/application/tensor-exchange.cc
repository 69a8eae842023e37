/* SPDX-License-Identifier: GPL-2.0-only */
#include "tensor-exchange.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TensorExchange");

NS_OBJECT_ENSURE_REGISTERED(TensorExchange);

TypeId
TensorExchange::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TensorExchange").SetParent<GradientExchange>().SetGroupName("GpuFabric");
    return tid;
}

void
TensorExchange::DoConfigure()
{
    const IterationProgram& program = *GetSetup().program;
    for (const RankProgram& rank : program.programs)
    {
        for (const ProgramStep& step : rank.steps)
        {
            NS_ABORT_MSG_IF(!step.compute && step.tensor == ProgramStep::NO_TENSOR,
                            "step " << step.label << " is no tensor");
        }
    }
    for (const CommunicatorSpec& communicator : program.communicators)
    {
        for (uint32_t rank = 0; rank < communicator.ranks.size(); rank++)
        {
            NS_ABORT_MSG_IF(communicator.ranks.size() != program.ranks ||
                                communicator.ranks[rank] != rank,
                            "a communicator of tensors has not all ranks in order");
        }
    }
    NS_ABORT_MSG_IF(!program.rankCommunicators.empty(), "ranks have own communicators");
    m_messages = std::make_unique<RankMessages>(
        GetSetup().control,
        GetSetup().gpus,
        [this](int64_t now, uint32_t rank, const RankMessage& message) {
            MessageArrived(now, rank, message);
        });
    SetSchedule(0, TensorSchedule());
    ConfigureTensors();
}

void
TensorExchange::Open()
{
    m_messages->Open();
}

void
TensorExchange::Close()
{
    m_messages->Close();
}

void
TensorExchange::SetSchedule(uint64_t iteration, const TensorSchedule& schedule)
{
    NS_ABORT_MSG_IF(schedule.partitionBytes == 0 || schedule.creditBytes == 0,
                    "a partition or credit of 0 bytes");
    NS_ABORT_MSG_IF(!m_schedules.empty() && iteration < m_schedules.back().first,
                    "a schedule from iteration " << iteration << " on comes after one from "
                                                 << m_schedules.back().first);
    if (!m_schedules.empty() && m_schedules.back().first == iteration)
    {
        m_schedules.pop_back();
        m_samples.pop_back();
    }
    NS_ABORT_MSG_IF(!m_schedules.empty() &&
                        (m_schedules.back().second.priority != schedule.priority ||
                         m_schedules.back().second.latencyPs != schedule.latencyPs ||
                         m_schedules.back().second.streams != schedule.streams),
                    "a job changes more than the sizes of its pieces while it runs");
    NS_LOG_INFO("from iteration " << iteration << ": pieces of " << schedule.partitionBytes
                                  << " B, credit " << schedule.creditBytes << " B, "
                                  << (schedule.priority ? "by layer" : "as they come"));
    m_schedules.emplace_back(iteration, schedule);
    m_samples.push_back({schedule, 0, 0});
    m_lastEndPs = -1;
}

const TensorSchedule&
TensorExchange::GetSchedule(uint64_t iteration) const
{
    const auto after =
        std::upper_bound(m_schedules.begin(),
                         m_schedules.end(),
                         iteration,
                         [](uint64_t value, const auto& entry) { return value < entry.first; });
    return std::prev(after)->second;
}

uint32_t
TensorExchange::GetPieceCount(uint64_t bytes, uint64_t partitionBytes)
{
    return static_cast<uint32_t>(bytes / partitionBytes + (bytes % partitionBytes > 0 ? 1 : 0));
}

uint64_t
TensorExchange::GetPieceBytes(uint64_t bytes, uint64_t partitionBytes, uint32_t piece)
{
    return std::min(partitionBytes, bytes - piece * partitionBytes);
}

void
TensorExchange::Send(int64_t now, uint32_t rank, const RankMessage& message)
{
    m_messages->Send(now, m_schedules.back().second.latencyPs, rank, message);
}

uint64_t
TensorExchange::GetStepsPerIteration(uint32_t communicator) const
{
    const std::vector<ProgramStep>& steps = GetSetup().program->GetRankProgram(0).steps;
    return static_cast<uint64_t>(
        std::count_if(steps.begin(), steps.end(), [communicator](const ProgramStep& step) {
            return !step.compute && step.communicator == communicator;
        }));
}

void
TensorExchange::IterationEnded(uint64_t iteration, int64_t endPs)
{
    // The first iteration under a schedule may have started with tensors of the previous one.
    if (iteration < m_schedules.back().first)
    {
        return;
    }
    if (m_lastEndPs >= 0)
    {
        m_samples.back().iterations++;
        m_samples.back().elapsedPs += endPs - m_lastEndPs;
    }
    m_lastEndPs = endPs;
}

} // namespace ns3
