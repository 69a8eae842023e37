/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/workload/application/gradient-exchange.h"
#include "../fixture/workload-job-fixture.h"

#include <string>
#include <vector>

namespace ns3
{
namespace
{

/// Gradients whose exchange takes no time: a step ends as soon as all ranks have issued it. Carries
/// gathered tensors, which no other exchange does.
class FreeExchange : public GradientExchange
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::FreeExchange")
                                .SetParent<GradientExchange>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<FreeExchange>();
        return tid;
    }

    bool Carries(const IterationProgram& program) const override
    {
        return program.HasTensors() && program.HasOnly({CollectiveOperation::ALL_GATHER});
    }

    void Issue(int64_t now, uint32_t rank, const ProgramStep& /* step */) override
    {
        const uint64_t number = m_issued[rank]++;
        for (const uint64_t issued : m_issued)
        {
            if (issued <= number)
            {
                return;
            }
        }
        m_lastPostPs = now;
        for (uint32_t other = 0; other < m_issued.size(); other++)
        {
            GetSetup().listener->StepEnded(now, other, 0, number, now);
        }
    }

    int64_t GetLastPostPs(uint32_t /* rank */,
                          uint32_t /* communicator */,
                          uint64_t /* number */) const override
    {
        return m_lastPostPs;
    }

  private:
    void DoConfigure() override
    {
        m_issued.resize(GetSetup().program->ranks);
    }

    std::vector<uint64_t> m_issued; ///< by rank
    int64_t m_lastPostPs{-1};
};

NS_OBJECT_ENSURE_REGISTERED(FreeExchange);

class GradientExchangeTest : public TrainingJobFixture
{
  protected:
    /// 100 us of compute, then a collective of a gradient that the next iteration waits for.
    static IterationProgram MakeOne(CollectiveOperation operation, bool tensor)
    {
        ProgramStep gradient = Collective(0, operation, MEGABYTE, {{0, false}});
        gradient.tensor = tensor ? 0 : ProgramStep::NO_TENSOR;
        return MakeProgram(4, {Compute(100 * US, {{1, true}}), gradient});
    }

    std::string GetName(const IterationProgram& program)
    {
        return MakeJob(MakeSpec(1), program)->GetExchange()->GetInstanceTypeId().GetName();
    }
};

TEST_F(GradientExchangeTest, IsFoundByWhatItCarries)
{
    MakeCluster(4, 1, 1);
    EXPECT_EQ(GetName(MakeOne(CollectiveOperation::ALL_REDUCE, false)), "ns3::PlainCollectives");
    EXPECT_EQ(GetName(MakeOne(CollectiveOperation::ALL_REDUCE, true)), "ns3::AllReduceTensors");
    EXPECT_EQ(GetName(MakeOne(CollectiveOperation::ALL_GATHER, true)), "ns3::FreeExchange");
}

// One in a file of its own, which nothing else names: three iterations take their compute times.
TEST_F(GradientExchangeTest, AnotherOneIsOneFile)
{
    MakeCluster(4, 1, 1);
    Run(MakeSpec(3), MakeOne(CollectiveOperation::ALL_GATHER, true));
    EXPECT_EQ(m_finishedPs, 3 * 100 * US);
    ExpectTiled(4, 0, 3 * 100 * US);
    EXPECT_TRUE(m_collectives.empty());
}

TEST_F(GradientExchangeTest, OnlyTensorsHaveASchedule)
{
    MakeCluster(4, 1, 1);
    Ptr<TrainingJob> job = MakeJob(MakeSpec(1), MakeOne(CollectiveOperation::ALL_REDUCE, false));
    EXPECT_TRUE(job->GetExchange()->GetSamples().empty());
    EXPECT_DEATH(job->SetTensorSchedule(TensorSchedule()), "does not send gradients as tensors");
}

TEST_F(GradientExchangeTest, AProgramThatNobodyCarriesAborts)
{
    MakeCluster(4, 1, 1);
    // Tensors that are reduced and tensors that are gathered.
    IterationProgram both = MakeOne(CollectiveOperation::ALL_REDUCE, true);
    ProgramStep gather = both.programs[0].steps[1];
    gather.operation = CollectiveOperation::ALL_GATHER;
    both.programs[0].steps.push_back(gather);
    EXPECT_DEATH(GetName(both), "no gradient exchange carries the program");
}

} // namespace
} // namespace ns3
