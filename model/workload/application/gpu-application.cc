/* SPDX-License-Identifier: GPL-2.0-only */
#include "gpu-application.h"

#include "gradient-exchange.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GpuApplication);

TypeId
GpuApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GpuApplication")
                            .SetParent<Application>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<GpuApplication>();
    return tid;
}

void
GpuApplication::Configure(const Setup& setup)
{
    NS_ABORT_MSG_IF(m_phase != Phase::CONFIGURED && m_phase != Phase::GONE,
                    "the rank has started already");
    m_phase = Phase::CONFIGURED;
    m_iterations.clear();
    m_firstIteration = 0;
    m_endedIterations = 0;
    m_currentIteration = 0;
    m_computeIteration = 0;
    m_computePosition = 0;
    m_computing = false;
    m_shifting = false;
    m_computeStartPs = 0;
    m_shiftStartPs = 0;
    m_idleSincePs = 0;
    m_lastEnded = StepId();
    m_shifts.clear();
    m_iteration = RankIteration();
    m_inIteration = false;
    m_advancing = false;
    m_again = false;
    m_setup = setup;
    m_issued.assign(setup.program->collectiveSteps.size(), 0);
}

void
GpuApplication::StartApplication()
{
    // The job decides when.
}

void
GpuApplication::StopApplication()
{
}

void
GpuApplication::DoDispose()
{
    m_phase = Phase::GONE;
    m_setup = Setup();
    m_iterations.clear();
    Application::DoDispose();
}

void
GpuApplication::Start(int64_t allocationPs, int64_t startPs)
{
    NS_ABORT_MSG_IF(m_phase != Phase::CONFIGURED, "the rank has started already");
    m_phase = Phase::WAITING_FOR_START;
    m_idleSincePs = allocationPs;
    m_setup.timers->Attach(m_setup.gpu, this, m_setup.rank);
    m_setup.timers->Schedule(startPs, m_setup.gpu, KIND_START);
}

void
GpuApplication::HandleLaneEvent(int64_t now, uint32_t, uint32_t kind)
{
    if (kind == KIND_COMPUTE_END)
    {
        m_computing = false;
        EmitSpan(GpuTimeKind::COMPUTE, m_computeStartPs, now);
        m_idleSincePs = now;
        const uint64_t iteration = m_computeIteration;
        const uint32_t step = m_setup.program->computeSteps[m_computePosition];
        m_computePosition++;
        if (m_computePosition == m_setup.program->computeSteps.size())
        {
            m_computePosition = 0;
            m_computeIteration++;
        }
        StepEnded(iteration, step);
    }
    else if (m_shifting)
    {
        m_shifting = false;
        EmitSpan(GpuTimeKind::SHIFT, m_shiftStartPs, now);
        m_idleSincePs = now;
        StartCompute(now, m_setup.program->computeSteps[0]);
    }
    else
    {
        m_phase = Phase::RUNNING;
    }
    Advance(now);
}

void
GpuApplication::CollectiveEnded(int64_t now,
                                uint32_t communicator,
                                uint64_t collective,
                                int64_t lastPostPs)
{
    if (m_phase != Phase::RUNNING)
    {
        return;
    }
    const std::vector<uint32_t>& steps = m_setup.program->collectiveSteps[communicator];
    const uint64_t iteration = collective / steps.size();
    const uint32_t step = steps[collective % steps.size()];
    GetState(iteration).steps[step].lastPostPs = lastPostPs;
    StepEnded(iteration, step);
    Advance(now);
}

void
GpuApplication::SetShift(uint64_t iteration, int64_t shiftPs)
{
    NS_ABORT_MSG_IF(shiftPs < 0, "a shift of " << shiftPs << " ps");
    NS_ABORT_MSG_IF(iteration < GetNextIteration(),
                    "iteration " << iteration << " has started already");
    m_shifts.emplace_back(iteration, shiftPs);
}

int64_t
GpuApplication::TakeShift(uint64_t iteration)
{
    int64_t sum = 0;
    for (auto entry = m_shifts.begin(); entry != m_shifts.end();)
    {
        if (entry->first == iteration)
        {
            sum += entry->second;
            entry = m_shifts.erase(entry);
        }
        else
        {
            ++entry;
        }
    }
    return sum;
}

uint64_t
GpuApplication::GetNextIteration() const
{
    const bool started = m_computePosition > 0 || m_computing || m_shifting;
    return m_computeIteration + (started ? 1 : 0);
}

void
GpuApplication::SetLastIteration(int64_t now, uint64_t iteration)
{
    NS_ABORT_MSG_IF(iteration < m_currentIteration || iteration > m_setup.lastIteration,
                    "iteration " << iteration << " cannot be the last: the current one is "
                                 << m_currentIteration << ", the last so far "
                                 << m_setup.lastIteration);
    m_setup.lastIteration = iteration;
    if (m_phase == Phase::RUNNING)
    {
        Advance(now);
    }
}

GpuApplication::IterationState&
GpuApplication::GetState(uint64_t iteration)
{
    NS_ASSERT_MSG(iteration >= m_firstIteration, "iteration " << iteration << " is over");
    while (iteration - m_firstIteration >= m_iterations.size())
    {
        const bool first = m_firstIteration + m_iterations.size() == 0;
        const std::vector<uint32_t>& waits =
            first ? m_setup.program->firstWaits : m_setup.program->waits;
        IterationState state;
        state.steps.resize(waits.size());
        state.unfinished = static_cast<uint32_t>(waits.size());
        for (size_t s = 0; s < waits.size(); s++)
        {
            state.steps[s].waits = waits[s];
        }
        m_iterations.push_back(std::move(state));
    }
    return m_iterations[iteration - m_firstIteration];
}

void
GpuApplication::Advance(int64_t now)
{
    // A collective that ends at once re-enters this function from IssueReady().
    if (m_advancing)
    {
        m_again = true;
        return;
    }
    m_advancing = true;
    do
    {
        m_again = false;
        IssueReady(now);
        StartReadyCompute(now);
    } while (m_again);
    m_advancing = false;
    CheckEnded(now);
}

void
GpuApplication::IssueReady(int64_t now)
{
    for (uint32_t communicator = 0; communicator < m_issued.size(); communicator++)
    {
        const std::vector<uint32_t>& steps = m_setup.program->collectiveSteps[communicator];
        while (!steps.empty())
        {
            const uint64_t iteration = m_issued[communicator] / steps.size();
            const uint32_t step = steps[m_issued[communicator] % steps.size()];
            if (iteration > m_setup.lastIteration || GetState(iteration).steps[step].waits > 0)
            {
                break;
            }
            GetState(iteration).steps[step].postPs = now;
            m_issued[communicator]++;
            m_currentIteration = std::max(m_currentIteration, iteration);
            m_setup.exchange->Issue(now, m_setup.rank, m_setup.program->program.steps[step]);
        }
    }
}

void
GpuApplication::StartReadyCompute(int64_t now)
{
    if (m_computing || m_shifting || m_computeIteration > m_setup.lastIteration)
    {
        return;
    }
    const uint32_t step = m_setup.program->computeSteps[m_computePosition];
    const StepState& state = GetState(m_computeIteration).steps[step];
    if (state.waits > 0)
    {
        return;
    }
    EmitIdle(now, state.GetCause(m_computeIteration));
    const int64_t shiftPs = m_computePosition == 0 ? TakeShift(m_computeIteration) : 0;
    if (shiftPs > 0)
    {
        m_shifting = true;
        m_shiftStartPs = now;
        m_setup.timers->Schedule(now + shiftPs, m_setup.gpu, KIND_START);
        return;
    }
    StartCompute(now, step);
}

void
GpuApplication::StartCompute(int64_t now, uint32_t step)
{
    if (m_computePosition == 0)
    {
        EndIteration(now);
        m_iteration.iteration = m_computeIteration;
        m_iteration.startPs = now;
        m_inIteration = true;
    }
    m_currentIteration = std::max(m_currentIteration, m_computeIteration);
    // From here on, a cause cannot be older than the previous iteration.
    while (m_firstIteration < m_endedIterations && m_firstIteration + 1 < m_computeIteration)
    {
        m_iterations.pop_front();
        m_firstIteration++;
    }
    m_computing = true;
    m_computeStartPs = now;
    int64_t durationPs = m_setup.program->program.steps[step].durationPs;
    if (m_setup.jitter)
    {
        durationPs =
            m_setup.jitter->Apply(durationPs, m_setup.firstIteration + m_computeIteration, step);
    }
    m_setup.timers->Schedule(now + durationPs, m_setup.gpu, KIND_COMPUTE_END);
}

void
GpuApplication::StepEnded(uint64_t iteration, uint32_t step)
{
    IterationState& state = GetState(iteration);
    NS_ASSERT_MSG(!state.steps[step].ended, "step " << step << " ends twice");
    state.steps[step].ended = 1;
    state.unfinished--;
    m_lastEnded = {iteration, step};
    for (const StepDependency& dependent : m_setup.program->dependents[step])
    {
        const uint64_t target = iteration + (dependent.carry ? 1 : 0);
        if (target <= m_setup.lastIteration)
        {
            StepState& waiting = GetState(target).steps[dependent.step];
            waiting.waits--;
            waiting.causeKind = dependent.carry ? CAUSE_PREVIOUS : CAUSE_SAME;
            waiting.causeStep = step;
        }
    }
    while (HasState(m_endedIterations) && GetState(m_endedIterations).unfinished == 0)
    {
        m_endedIterations++;
    }
}

void
GpuApplication::CheckEnded(int64_t now)
{
    if (m_phase != Phase::RUNNING || m_endedIterations <= m_setup.lastIteration)
    {
        return;
    }
    if (m_shifting)
    {
        m_shifting = false;
        m_setup.timers->Cancel(m_setup.gpu, KIND_START);
        EmitSpan(GpuTimeKind::SHIFT, m_shiftStartPs, now);
        m_idleSincePs = now;
    }
    EmitIdle(now, m_lastEnded);
    EndIteration(now);
    m_phase = Phase::ENDED;
    m_setup.owner->RankEnded(now, m_setup.rank);
}

void
GpuApplication::Finish(int64_t now)
{
    NS_ASSERT(m_phase == Phase::ENDED);
    EmitSpan(GpuTimeKind::PEER_WAIT, m_idleSincePs, now);
    m_phase = Phase::GONE;
    m_setup.timers->Detach(m_setup.gpu);
    m_iterations.clear();
}

void
GpuApplication::Abandon(int64_t now)
{
    if (m_phase == Phase::CONFIGURED || m_phase == Phase::GONE)
    {
        return;
    }
    if (m_computing)
    {
        EmitSpan(GpuTimeKind::COMPUTE, m_computeStartPs, now);
    }
    else if (m_shifting)
    {
        EmitSpan(GpuTimeKind::SHIFT, m_shiftStartPs, now);
    }
    else if (m_phase == Phase::ENDED)
    {
        EmitSpan(GpuTimeKind::PEER_WAIT, m_idleSincePs, now);
    }
    else
    {
        EmitIdle(now, FindOutstanding(now));
    }
    m_phase = Phase::GONE;
    m_setup.timers->Detach(m_setup.gpu);
    m_iterations.clear();
}

GpuApplication::StepId
GpuApplication::FindOutstanding(int64_t now)
{
    StepId oldest;
    int64_t oldestPostPs = now;
    for (uint32_t communicator = 0; communicator < m_issued.size(); communicator++)
    {
        const std::vector<uint32_t>& steps = m_setup.program->collectiveSteps[communicator];
        const uint64_t first = m_firstIteration * steps.size();
        for (uint64_t number = first; number < m_issued[communicator]; number++)
        {
            const StepId id{number / steps.size(), steps[number % steps.size()]};
            StepState& state = GetState(id.iteration).steps[id.step];
            if (!state.ended)
            {
                const int64_t lastPostPs =
                    m_setup.exchange->GetLastPostPs(m_setup.rank, communicator, number);
                state.lastPostPs = lastPostPs == NEVER ? now : lastPostPs;
                if (state.postPs < oldestPostPs)
                {
                    oldest = id;
                    oldestPostPs = state.postPs;
                }
                break;
            }
        }
    }
    return oldest;
}

void
GpuApplication::EmitSpan(GpuTimeKind kind, int64_t startPs, int64_t endPs)
{
    if (endPs <= startPs)
    {
        return;
    }
    if (m_inIteration)
    {
        m_iteration.spansPs[static_cast<size_t>(kind)] += endPs - startPs;
    }
    m_setup.owner->RankSpan({m_setup.job, m_setup.gpu, kind, startPs, endPs});
}

void
GpuApplication::EmitIdle(int64_t now, StepId cause)
{
    // From the end back to the start, along the chain of causes.
    std::vector<std::pair<GpuTimeKind, int64_t>> pieces; // kind and start
    int64_t end = now;
    while (end > m_idleSincePs)
    {
        if (cause.iteration == NO_ITERATION || !HasState(cause.iteration) ||
            m_setup.program->program.steps[cause.step].compute)
        {
            pieces.emplace_back(GpuTimeKind::PEER_WAIT, m_idleSincePs);
            break;
        }
        const StepState& state = m_iterations[cause.iteration - m_firstIteration].steps[cause.step];
        const int64_t lastPost = std::clamp(state.lastPostPs, m_idleSincePs, end);
        const int64_t ownPost = std::clamp(state.postPs, m_idleSincePs, lastPost);
        pieces.emplace_back(GpuTimeKind::EXPOSED_COMMUNICATION, lastPost);
        pieces.emplace_back(GpuTimeKind::PEER_WAIT, ownPost);
        end = ownPost;
        cause = state.GetCause(cause.iteration);
    }
    for (size_t i = pieces.size(); i-- > 0;)
    {
        EmitSpan(pieces[i].first, pieces[i].second, i > 0 ? pieces[i - 1].second : now);
    }
    m_idleSincePs = now;
}

void
GpuApplication::EndIteration(int64_t now)
{
    if (!m_inIteration)
    {
        return;
    }
    m_iteration.endPs = now;
    m_inIteration = false;
    m_setup.owner->RankIterationEnded(m_setup.rank, m_iteration);
    m_iteration = RankIteration();
}

} // namespace ns3
