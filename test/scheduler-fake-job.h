/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCHEDULER_FAKE_JOB_H
#define GPU_FABRIC_SCHEDULER_FAKE_JOB_H

#include "scheduler-fakes.h"

#include "ns3/managed-job.h"
#include "ns3/scenario.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3
{

constexpr int64_t US = 1'000'000; ///< [ps]

/// What happened, one line each: "12us bert started".
using Log = std::vector<std::string>;

/// Iterations of one length, and a ring of flows over its hosts.
class FakeJob : public ManagedJob
{
  public:
    FakeJob(const ClusterTopology& topology, const JobSpec& spec, int64_t iterationPs, Log& log)
        : m_topology(topology),
          m_name(spec.name),
          m_total(spec.iterations),
          m_iterations(spec.iterations),
          m_iterationPs(iterationPs),
          m_log(log)
    {
    }

    void SetCallbacks(FinishedCallback finished, FailedCallback failed) override
    {
        m_finished = finished;
        m_failed = failed;
    }

    JobDemand Place(const std::vector<uint32_t>& gpus) override
    {
        JobView job;
        AddRing(m_topology, job, gpus, 1'000'000);
        JobDemand demand;
        demand.flop = static_cast<double>(gpus.size());
        demand.computePs = m_iterationPs;
        demand.flows = job.flows;
        return demand;
    }

    void Start(int64_t nowPs,
               int64_t placedPs,
               const std::vector<FlowUpdate>& flows,
               int64_t shiftPs) override
    {
        Write(nowPs, "starts, placed " + std::to_string(placedPs / US) + "us" + GetText(flows));
        EXPECT_EQ(shiftPs, 0);
        m_startPs = nowPs;
        if (m_iterations > 0)
        {
            m_iterations = m_total - m_ended;
            ScheduleEnd(nowPs);
        }
    }

    void Apply(int64_t nowPs, const std::vector<FlowUpdate>& flows, int64_t /* shiftPs */) override
    {
        Write(nowPs, "changes" + GetText(flows));
    }

    uint64_t GetCurrentIteration() const override
    {
        return (Simulator::Now().GetPicoSeconds() - m_startPs) / m_iterationPs;
    }

    void SetLastIteration(int64_t nowPs, uint64_t iteration) override
    {
        Write(nowPs, "ends with iteration " + std::to_string(iteration));
        m_iterations = iteration + 1;
        ScheduleEnd(nowPs);
    }

    bool Release(int64_t nowPs) override
    {
        Write(nowPs, "released");
        return true;
    }

    uint64_t GetEndedIterations() const override
    {
        return m_ended;
    }

    void Abandon(int64_t /* nowPs */, const std::string& reason) override
    {
        Fail(reason);
    }

    /// Breaks at the present time.
    void Fail(const std::string& reason)
    {
        m_end.Cancel();
        m_ended += GetCurrentIteration();
        m_failed(Simulator::Now().GetPicoSeconds(), reason);
    }

  private:
    void Write(int64_t nowPs, const std::string& what)
    {
        EXPECT_EQ(nowPs, Simulator::Now().GetPicoSeconds());
        m_log.push_back(std::to_string(nowPs / US) + "us " + m_name + " " + what);
    }

    /// ", flow 0 priority 6, ...": the flows with their priorities.
    static std::string GetText(const std::vector<FlowUpdate>& flows)
    {
        std::string text;
        for (const FlowUpdate& flow : flows)
        {
            text += ", flow " + std::to_string(flow.flow) + " priority " +
                    std::to_string(flow.priority);
        }
        return text;
    }

    void ScheduleEnd(int64_t nowPs)
    {
        const int64_t endPs = m_startPs + static_cast<int64_t>(m_iterations) * m_iterationPs;
        m_end =
            Simulator::Schedule(PicoSeconds(endPs - nowPs), [this, endPs] { m_finished(endPs); });
    }

    const ClusterTopology& m_topology;
    std::string m_name;
    uint64_t m_total;
    uint64_t m_iterations; ///< from the last start on
    int64_t m_iterationPs;
    Log& m_log;
    int64_t m_startPs{0};
    uint64_t m_ended{0}; ///< before failures
    EventId m_end;
    FinishedCallback m_finished;
    FailedCallback m_failed;
};

} // namespace ns3

#endif // GPU_FABRIC_SCHEDULER_FAKE_JOB_H
