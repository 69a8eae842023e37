/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MLTCP_DCQCN_H
#define GPU_FABRIC_MLTCP_DCQCN_H

#include "dcqcn.h"

namespace ns3
{

/// The parameters that MLTCP adds to a congestion control.
struct MltcpParameters
{
    double slope{0};           ///< of F
    double intercept{0};       ///< F at the start of an iteration
    int64_t iterationGapPs{0}; ///< silence that ends an iteration [ps]; 0: learned
    int64_t minGapPs{0};       ///< shortest silence that can be learned as the gap [ps]
};

/**
 * DCQCN of one queue pair whose increases are multiplied by F(r) = slope x r + intercept, where r,
 * at most 1, is the share of the iteration's bytes sent so far. Until the number of bytes per
 * iteration is known, this is plain DCQCN (F = 1).
 *
 * An iteration ends with a silence: a time in which the queue pair was free to send and did not.
 * The silence must be longer than the configured gap, or else longer than half of the longest
 * silence so far, which decays by an eighth with each iteration. The bytes of the iteration that
 * ended are the estimate for the next one. A silence more than twice as long as any before shows
 * that the earlier ones were within an iteration; the estimate is then discarded.
 */
class MltcpDcqcnController : public DcqcnController
{
  public:
    MltcpDcqcnController(std::shared_ptr<const DcqcnParameters> parameters,
                         const MltcpParameters& mltcp,
                         uint64_t lineRateBps);

    double OnSend(SendSample sample) override;
    /// Wire bytes of the last whole iteration [byte]; 0: none known.
    uint64_t GetIterationBytes() const;

  private:
    /// Called after a silence [ps].
    void EndIteration(int64_t gap);

    const MltcpParameters m_mltcp;
    int64_t m_freeAt{0};          ///< when the queue pair may send again [ps]
    int64_t m_longestGap{0};      ///< longest silence [ps]
    uint64_t m_sent{0};           ///< in this iteration, on the wire [byte]
    uint64_t m_iterationBytes{0}; ///< on the wire [byte]
};

/**
 * MLTCP (Rajasekaran et al., HotNets 2024, arXiv 2402.09589) on DCQCN: the more of its iteration a
 * flow has sent, the faster it grows. When two jobs collide, the one that began earlier gets more
 * of the link and ends earlier still, iteration by iteration, until the jobs take turns without any
 * central coordination.
 */
class MltcpDcqcn : public Dcqcn
{
  public:
    static TypeId GetTypeId();
    std::unique_ptr<RateController> CreateController(const FlowContext& flow) const override;
    bool IsIdleUntilCnp() const override;

  private:
    double m_slope;
    double m_intercept;
    Time m_iterationGap;
    Time m_minIterationGap;
};

} // namespace ns3

#endif // GPU_FABRIC_MLTCP_DCQCN_H
