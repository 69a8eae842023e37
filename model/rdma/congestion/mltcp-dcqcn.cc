/* SPDX-License-Identifier: GPL-2.0-only */
#include "mltcp-dcqcn.h"

#include "ns3/double.h"
#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MltcpDcqcn");

NS_OBJECT_ENSURE_REGISTERED(MltcpDcqcn);

MltcpDcqcnController::MltcpDcqcnController(std::shared_ptr<const DcqcnParameters> parameters,
                                           const MltcpParameters& mltcp,
                                           uint64_t lineRateBps)
    : DcqcnController(std::move(parameters), lineRateBps),
      m_mltcp(mltcp)
{
}

void
MltcpDcqcnController::EndIteration(int64_t gap)
{
    // A silence far longer than all before: the earlier ones were within an iteration.
    NS_LOG_LOGIC("an iteration of " << m_sent << " bytes ends with a silence of " << gap << " ps");
    const bool isNew = m_mltcp.iterationGapPs == 0 && gap / 2 > m_longestGap;
    m_iterationBytes = isNew ? 0 : m_sent;
    m_longestGap = std::max(gap, m_longestGap - m_longestGap / 8);
    m_sent = 0;
}

double
MltcpDcqcnController::OnSend(SendSample sample)
{
    const int64_t now = sample.now;
    const int64_t gap = now - m_freeAt;
    const int64_t least = m_mltcp.iterationGapPs > 0 ? m_mltcp.iterationGapPs
                                                     : std::max(m_mltcp.minGapPs, m_longestGap / 2);
    if (m_sent > 0 && gap > least)
    {
        GetRate(now); // what was due during the silence belongs to the previous iteration
        EndIteration(gap);
    }
    m_sent += sample.wireBytes;
    const double ratio = static_cast<double>(m_sent) / static_cast<double>(m_iterationBytes);
    SetGain(m_iterationBytes == 0 ? 1 : m_mltcp.slope * std::min(1.0, ratio) + m_mltcp.intercept);
    const double rate = DcqcnController::OnSend(sample);
    m_freeAt = now + GetGap(rate, sample.wireBytes);
    return rate;
}

uint64_t
MltcpDcqcnController::GetIterationBytes() const
{
    return m_iterationBytes;
}

TypeId
MltcpDcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MltcpDcqcn")
            .SetParent<Dcqcn>()
            .SetGroupName("GpuFabric")
            .AddConstructor<MltcpDcqcn>()
            .AddAttribute("Slope",
                          "Of F(r) = Slope x r + Intercept, by which increases are multiplied; r: "
                          "share of the iteration's bytes that are sent. The value is recollected "
                          "from the paper (HotNets 2024), not checked against it.",
                          DoubleValue(1.75),
                          MakeDoubleAccessor(&MltcpDcqcn::m_slope),
                          MakeDoubleChecker<double>(0, 1000))
            .AddAttribute("Intercept",
                          "Of F(r) = Slope x r + Intercept; with a Slope of 0 and an Intercept of "
                          "1 it is DCQCN. The value is recollected from the paper (HotNets 2024), "
                          "not checked against it.",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&MltcpDcqcn::m_intercept),
                          MakeDoubleChecker<double>(0, 1000))
            .AddAttribute("IterationGap",
                          "Silence of a queue pair that ends its iteration. 0: learned, half of "
                          "the longest silence so far, of which each iteration forgets an eighth "
                          "(the paper learns it, too; how is a choice made here).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&MltcpDcqcn::m_iterationGap),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinIterationGap",
                          "Shorter silences are not learned to end an iteration (a choice made "
                          "here): frames of other queue pairs of the NIC make short ones.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&MltcpDcqcn::m_minIterationGap),
                          MakeTimeChecker(Time(0)));
    return tid;
}

bool
MltcpDcqcn::IsIdleUntilCnp() const
{
    // The controller must count the bytes of an iteration from the start.
    return false;
}

std::unique_ptr<RateController>
MltcpDcqcn::CreateController(const FlowContext& flow) const
{
    MltcpParameters mltcp;
    mltcp.slope = m_slope;
    mltcp.intercept = m_intercept;
    mltcp.iterationGapPs = m_iterationGap.GetTimeStep();
    mltcp.minGapPs = m_minIterationGap.GetTimeStep();
    return std::make_unique<MltcpDcqcnController>(ShareParameters(flow.lineRateBps),
                                                  mltcp,
                                                  flow.lineRateBps);
}

} // namespace ns3
