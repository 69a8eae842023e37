/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_COST_ESTIMATOR_H
#define GPU_FABRIC_RUN_COST_ESTIMATOR_H

#include "../../model/rdma/wire/roce-framing.h"
#include "../../model/scenario/scenario.h"
#include "../../model/workload/application/plain-flows.h"
#include "run-cost.h"

#include "ns3/cluster-view.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/// Adds up the packet-hops of jobs and flows that do not wait for each other, until the scenario's
/// end.
class RunCostEstimator
{
  public:
    /// A job of the scenario.
    struct Job
    {
        const JobSpec* spec{nullptr};
        int64_t arrivalPs{0};
        /// Fills in an iteration of it: FlowView::wireBytes and ackWireBytes are numbers of frames
        /// here. Left as it is if the job fits nowhere.
        std::function<void(JobView& view)> estimate;
    };

    /// Wall time for the estimates of jobs [s].
    static constexpr double MAX_SECONDS = 2;

    /**
     * \param ackInterval data frames for each acknowledgement
     * \param segmentBytes of messages inside hosts [byte], if these are modelled
     */
    RunCostEstimator(const Scenario& scenario,
                     const PathOracle& paths,
                     const RoceFraming& framing,
                     uint32_t ackInterval,
                     uint32_t segmentBytes);

    void AddFlows(const std::vector<PlainFlow>& flows);
    /// All jobs of the scenario; call once.
    void AddJobs(const std::vector<Job>& jobs);
    /// Without its RunCost::hopNs.
    RunCost GetCost() const;

  private:
    /// An iteration of a job.
    struct Iteration
    {
        double hops{0};
        double queuePairs{0};
        double lengthPs{1}; ///< [ps]
    };

    Iteration EstimateIteration(const Job& job) const;
    double GetPathHops(uint32_t sourceNic, uint32_t destinationNic) const;
    /// Counts hops of something that begins and would end at these times [ps].
    void Add(double hops, double beginPs, double endPs);

    const Scenario& m_scenario;
    const PathOracle& m_paths;
    const RoceFraming& m_framing;
    uint32_t m_ackInterval;
    uint32_t m_segmentBytes;
    double m_hops{0};
    double m_queuePairs{0};
    double m_endPs{0};
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_COST_ESTIMATOR_H
