/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_WORKLOAD_JOB_FIXTURE_H
#define GPU_FABRIC_WORKLOAD_JOB_FIXTURE_H

#include "workload-fake-network.h"

#include "ns3/job-environment.h"
#include "ns3/simulator.h"
#include "ns3/training-job.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

constexpr int64_t US = 1'000'000;

inline ProgramStep
Compute(int64_t durationPs, std::vector<StepDependency> dependencies = {})
{
    ProgramStep step;
    step.label = "compute";
    step.durationPs = durationPs;
    step.dependencies = std::move(dependencies);
    return step;
}

inline ProgramStep
Collective(uint32_t communicator,
           CollectiveOperation operation,
           uint64_t bytes,
           std::vector<StepDependency> dependencies)
{
    ProgramStep step;
    step.compute = false;
    step.label = "collective";
    step.communicator = communicator;
    step.operation = operation;
    step.bytes = bytes;
    step.dependencies = std::move(dependencies);
    return step;
}

inline ProgramStep
AllReduce(uint32_t communicator, uint64_t bytes, std::vector<StepDependency> dependencies)
{
    return Collective(communicator,
                      CollectiveOperation::ALL_REDUCE,
                      bytes,
                      std::move(dependencies));
}

/// All ranks run these steps, on communicators of all.
inline IterationProgram
MakeProgram(uint32_t ranks, std::vector<ProgramStep> steps, uint32_t communicators = 1)
{
    IterationProgram program;
    program.ranks = ranks;
    program.communicators.resize(communicators);
    for (CommunicatorSpec& communicator : program.communicators)
    {
        for (uint32_t rank = 0; rank < ranks; rank++)
        {
            communicator.ranks.push_back(rank);
        }
    }
    program.programs.push_back({std::move(steps)});
    program.rankProgram.assign(ranks, 0);
    return program;
}

inline JobSpec
MakeSpec(uint64_t iterations)
{
    JobSpec spec;
    spec.name = "job";
    spec.iterations = iterations;
    return spec;
}

/// A cluster of hosts on one switch, jobs on it, and what they report.
class TrainingJobFixture : public testing::Test
{
  protected:
    /// Hosts on one switch.
    void MakeCluster(uint32_t hosts, uint32_t gpus, uint32_t nics)
    {
        const uint32_t hub = m_topology.AddSwitch("leaf0");
        for (uint32_t host = 0; host < hosts; host++)
        {
            const uint32_t node = m_topology.AddHost("host" + std::to_string(host), gpus);
            for (uint32_t nic = 0; nic < nics; nic++)
            {
                m_topology.AddLink(node, hub, 100'000'000'000, US);
            }
        }
        m_environment = std::make_unique<JobEnvironment>(m_topology, m_network, 1);
    }

    Ptr<TrainingJob> MakeJob(const JobSpec& spec,
                             const IterationProgram& program,
                             std::vector<uint32_t> gpus = {})
    {
        for (uint32_t gpu = 0; gpus.size() < program.ranks; gpu++)
        {
            gpus.push_back(gpu);
        }
        Ptr<TrainingJob> job = CreateObject<TrainingJob>();
        job->TraceConnectWithoutContext("Span", MakeCallback(&TrainingJobFixture::TakeSpan, this));
        job->TraceConnectWithoutContext("Iteration",
                                        MakeCallback(&TrainingJobFixture::TakeIteration, this));
        job->TraceConnectWithoutContext("Collective",
                                        MakeCallback(&TrainingJobFixture::TakeCollective, this));
        job->SetFinishedCallback([this](int64_t now, TrainingJob& ended) {
            m_finishedPs = now;
            EXPECT_EQ(ended.GetStatus(), TrainingJob::Status::FINISHED);
        });
        job->SetFailedCallback([this](int64_t now, TrainingJob&, const std::string& reason) {
            m_failedPs = now;
            m_reason = reason;
        });
        const std::vector<std::string> faults =
            job->Configure(m_environment.get(), m_nextJob++, spec, program, gpus);
        EXPECT_TRUE(faults.empty()) << faults.front();
        m_jobs.push_back(job);
        return job;
    }

    /// Runs a job from time 0 to its end.
    Ptr<TrainingJob> Run(const JobSpec& spec, const IterationProgram& program)
    {
        Ptr<TrainingJob> job = MakeJob(spec, program);
        job->Start(0, 0, 0);
        Simulator::Run();
        return job;
    }

    void TearDown() override
    {
        for (const Ptr<TrainingJob>& job : m_jobs)
        {
            job->Dispose();
        }
        m_jobs.clear();
        m_environment.reset();
        Simulator::Destroy();
    }

    void TakeSpan(const SpanRecord& span)
    {
        m_spans.push_back(span);
    }

    void TakeIteration(const IterationRecord& iteration)
    {
        m_iterations.push_back(iteration);
    }

    void TakeCollective(const CollectiveRecord& collective)
    {
        m_collectives.push_back(collective);
    }

    /// Time of a GPU of one kind [ps].
    int64_t Sum(uint32_t gpu, GpuTimeKind kind) const
    {
        int64_t sum = 0;
        for (const SpanRecord& span : m_spans)
        {
            sum += span.gpu == gpu && span.kind == kind ? span.endPs - span.startPs : 0;
        }
        return sum;
    }

    /// Checks that the spans of every GPU follow each other without gap.
    void ExpectTiled(uint32_t gpus, int64_t fromPs, int64_t toPs) const
    {
        std::vector<int64_t> end(gpus, fromPs);
        for (const SpanRecord& span : m_spans)
        {
            ASSERT_LT(span.gpu, gpus);
            EXPECT_EQ(span.startPs, end[span.gpu]) << "GPU " << span.gpu;
            EXPECT_GT(span.endPs, span.startPs);
            end[span.gpu] = span.endPs;
        }
        EXPECT_EQ(end, std::vector<int64_t>(gpus, toPs));
    }

    ClusterTopology m_topology;
    FakeNetwork m_network;
    std::unique_ptr<JobEnvironment> m_environment;
    std::vector<Ptr<TrainingJob>> m_jobs;
    uint32_t m_nextJob{0};
    std::vector<SpanRecord> m_spans;
    std::vector<IterationRecord> m_iterations;
    std::vector<CollectiveRecord> m_collectives;
    int64_t m_finishedPs{-1};
    int64_t m_failedPs{-1};
    std::string m_reason;
};

// 2 * 3/4 * 1 MB at 80 ps/B (100 Gb/s).
constexpr uint64_t MEGABYTE = 1'000'000;
constexpr int64_t ALL_REDUCE_OF_4_PS = 120 * US;

} // namespace ns3

#endif // GPU_FABRIC_WORKLOAD_JOB_FIXTURE_H
