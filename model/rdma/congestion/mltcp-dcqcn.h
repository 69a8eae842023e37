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
    int64_t minGapPs{0};       ///< least silence that can be learned to do so [ps]
};

/**
 * DCQCN of one queue pair whose increases are multiplied by F(r) = slope x r + intercept, where r
 * is the share of its iteration's bytes that it has sent, at most 1. Until it knows how many
 * bytes an iteration has, it is plain DCQCN (F = 1).
 *
 * An iteration ends with a silence: time in which the queue pair was free to send and did not,
 * longer than the gap given, or than half of the longest silence so far, of which each iteration
 * forgets an eighth. The iteration that ended tells the bytes of the next; but after a silence more
 * than twice as long as any before, which were within an iteration then, nothing is known.
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
    /// After a silence [ps].
    void EndIteration(int64_t gap);

    const MltcpParameters m_mltcp;
    int64_t m_freeAt{0};          ///< when it may send again [ps]
    int64_t m_longestGap{0};      ///< silence [ps]
    uint64_t m_sent{0};           ///< in this iteration, on the wire [byte]
    uint64_t m_iterationBytes{0}; ///< on the wire [byte]
};

/**
 * MLTCP (Rajasekaran et al., HotNets 2024, arXiv 2402.09589) on DCQCN: a flow grows the faster the
 * more of its iteration it has sent. Of two jobs that collide the one that began earlier gets more
 * of the link and ends still earlier, from iteration to iteration, until they take turns, with
 * nobody planning it.
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
