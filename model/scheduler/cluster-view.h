/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CLUSTER_VIEW_H
#define GPU_FABRIC_CLUSTER_VIEW_H

#include "ns3/cluster-topology.h"
#include "ns3/fabric-records.h"
#include "ns3/tensor-schedule.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A path: ids of directed links from the source NIC's port to the last link before the
/// destination.
using LinkPath = std::vector<uint32_t>;

/// Finds paths of the fabric; a pure function of topology and seeds.
class PathOracle
{
  public:
    virtual ~PathOracle() = default;
    /// All shortest paths between two NICs (port ids), in a fixed order.
    virtual std::vector<LinkPath> GetPaths(uint32_t sourceNic, uint32_t destinationNic) const = 0;
    /// The path that ECMP selects for a UDP source port, computed with the switches' own hash.
    virtual LinkPath GetEcmpPath(uint32_t sourceNic,
                                 uint32_t destinationNic,
                                 uint16_t udpSourcePort) const = 0;
    /**
     * The smallest UDP source port from 49152 on (wrapping; all 65,536 are tried except port 0)
     * whose ECMP path is `path`, found by evaluating the hash hop by hop; -1: none.
     */
    virtual int32_t FindUdpSourcePort(uint32_t sourceNic,
                                      uint32_t destinationNic,
                                      const LinkPath& path) const = 0;
};

/// Caches the candidate paths of NIC pairs during one decision, because the flows of a job (and
/// both directions of each) need the same ones repeatedly.
class CandidatePaths
{
  public:
    explicit CandidatePaths(const PathOracle& oracle);

    /**
     * All shortest paths from one NIC to another (port ids), in the oracle's order; the reference
     * stays valid. Aborts if there is none.
     */
    const std::vector<LinkPath>& Get(uint32_t sourceNic, uint32_t destinationNic);

  private:
    const PathOracle& m_oracle;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<LinkPath>> m_paths;
};

/// One queue pair of a job as a scheduler sees it.
struct FlowView
{
    uint32_t flow{0};           ///< index within the job, stable while it lives
    uint32_t sourceNic{0};      ///< port id
    uint32_t destinationNic{0}; ///< port id
    uint32_t channel{0};
    uint64_t wireBytes{0};     ///< per iteration, including headers and gaps [byte]
    uint64_t ackWireBytes{0};  ///< acknowledgements per iteration, in the opposite direction [byte]
    uint16_t udpSourcePort{0}; ///< current
    LinkPath path;             ///< current path
};

/// Whether a job is being measured.
enum class ProfileState : uint8_t
{
    NONE,    ///< not measured: the declared figures apply
    WAITING, ///< for its turn
    RUNNING, ///< it must have the top level to itself
    DONE
};

/// What was measured for a job.
struct JobProfile
{
    uint32_t iterations{0}; ///< that the other members are averaged over
    /// (directed link, wire bytes per iteration [byte]) by link, including links inside hosts.
    std::vector<std::pair<uint32_t, uint64_t>> linkBytes{};
    int64_t computePs{0}; ///< per iteration, mean over its ranks [ps]
    int64_t periodPs{0};  ///< of its traffic; 0: none was found [ps]
};

/**
 * The service that a job has received and the service that it still needs. Service is defined as in
 * Tiresias (Gu et al., NSDI 2019): GPUs times time.
 */
struct JobService
{
    int64_t startPs{-1};    ///< first start of its ranks [ps]; -1: they have not started
    int64_t executedPs{0};  ///< how long its ranks have run, over all its starts [ps]
    uint64_t iterations{0}; ///< completed by all ranks, including those before failures
    /// Mean time from the start of one iteration to the start of the next, since its ranks last
    /// started [ps]; 0: unknown, as none has ended since then.
    int64_t iterationPs{0};
    /// Iterations still to be completed, including the current one; absent: unknown, as the job
    /// runs for a fixed time or until another job ends.
    std::optional<uint64_t> remainingIterations{};
    /// Remaining run time of a job with `duration` [ps]; absent: not given.
    std::optional<int64_t> remainingPs{};
    /// Time by which the user wants it to have ended: its arrival and `deadline:` [ps]; absent: not
    /// given.
    std::optional<int64_t> deadlinePs{};
};

/// A job as a scheduler sees it: its own figures, nothing about other jobs.
struct JobView
{
    uint32_t job{0};
    std::string name;
    int64_t arrivalPs{0};
    uint32_t gpus{0};
    double flop{0};       ///< W of an iteration [FLOP]
    int64_t computePs{0}; ///< compute time of an iteration [ps]
    /// Fraction of the compute time after which communication over the network may start, 0 to 1.
    double communicationStart{1};
    std::vector<FlowView> flows; ///< those over the network
    uint32_t level{0};           ///< current priority level, 0 best
    /// Start of its latest iteration plus the shifts that it was given but has not made yet; if it
    /// has not started, its expected start [ps].
    int64_t iterationStartPs{0};
    /// (directed link, wire bytes per iteration [byte]) by link: what the job sends over links
    /// inside its hosts, if these are modelled; paths inside hosts are not chosen.
    std::vector<std::pair<uint32_t, uint64_t>> insideLoads{};
    ProfileState profileState{ProfileState::NONE};
    JobProfile profile{}; ///< valid if the state is DONE; computePs is then the measured value
    TensorView tensors{}; ///< its gradients
    JobService service{};

    /// GPU time received so far: its GPUs times the time they have run [GPU ps].
    double GetAttainedService() const;
    /**
     * The length of an iteration [ps]: the mean so far (JobService::iterationPs), else the period
     * of a profile, else max(C, c C + t), the length for a job alone in a network that is limited
     * only by its NICs: C is the compute time, c the fraction of it after which communication may
     * start, and t the longest time that a NIC needs for the bytes of an iteration in one
     * direction.
     */
    int64_t EstimateIterationPs(const ClusterTopology& topology) const;
    /// GPU time still needed: GPUs times remaining iterations times their length, or times the
    /// remaining time [GPU ps]; nothing if neither is known.
    std::optional<double> GetRemainingService(const ClusterTopology& topology) const;
};

/// The load that the jobs of a view put on a directed link.
struct LinkLoad
{
    uint32_t link{0};           ///< id of the directed link
    uint32_t jobs{0};           ///< number of jobs that use it
    uint64_t iterationBytes{0}; ///< on the wire, summed over one iteration of each job [byte]
    /// Mean rate over the iterations of the jobs: bytes of an iteration divided by its length
    /// (JobView::EstimateIterationPs) [bit/s].
    double rateBps{0};
};

/// What a scheduler may base a decision on. A value; all times are in ps, all bytes on the wire.
struct ClusterView
{
    int64_t nowPs{0};
    std::string trigger; ///< "arrival", "departure", "profiled" or "period"
    const ClusterTopology* topology{nullptr};
    const PathOracle* paths{nullptr};
    uint32_t priorityLevels{6}; ///< data levels of the fabric's queues
    uint64_t seed{0};           ///< of the run, for random streams (CounterRandom)
    std::vector<JobView> jobs;  ///< running, in job order

    /**
     * The loads of the links on the current paths: a flow counts on its current path, a flow
     * without a path on none; for a job with a profile, the measured bytes count, on the paths
     * taken during the measurement. Acknowledgements take their own paths, which are unknown, so
     * they count only where they were measured. Computed anew at each call.
     * \returns the links with a load, by link
     */
    std::vector<LinkLoad> GetLinkLoads() const;
};

/// What is decided for one job.
struct JobDecision
{
    uint32_t job{0};
    uint32_t level{0};           ///< 0 best
    std::vector<LinkPath> paths; ///< by flow index; an empty path: leave it to ECMP
    int64_t shiftPs{0};          ///< idle before the next iteration [ps]
    std::string inputs;          ///< JSON object
    std::string reason;
    std::vector<std::string> pathInputs; ///< JSON object by flow index, as paths; may be empty
    std::string pathReason;              ///< why these paths were chosen
    std::vector<std::string> fallbacks;  ///< what could not be done, one sentence each
    /// Like fallbacks, but recorded only at the first decision about the job, and shown to the user
    /// at once.
    std::vector<std::string> warnings{};
    /// How its gradients are sent, if they are sent as tensors; nothing: unchanged. Sizes are those
    /// of the job without its `scale:`.
    std::optional<TensorSchedule> tensors{};
};

/// The complete decision: one entry, in job order, for each job of the view that it concerns.
struct ScheduleDecision
{
    std::vector<JobDecision> jobs;

    /// Says in one sentence why this is not a valid decision about the view (order, levels, number
    /// of paths); empty if it is valid.
    std::string Validate(const ClusterView& view) const;
};

/// Answers a placement's queries about jobs; a pure function of the state of the cluster.
class JobOracle
{
  public:
    virtual ~JobOracle() = default;
    /// The jobs that have GPUs, in job order.
    virtual std::vector<JobView> GetPlacedJobs() const = 0;
    /**
     * A waiting job as it would be on given GPUs (ids in rank order), with the paths that ECMP
     * would give its flows.
     */
    virtual JobView GetJobOn(uint32_t job, const std::vector<uint32_t>& gpus) const = 0;
};

/// Free GPUs, for a placement.
struct PlacementView
{
    const ClusterTopology* topology{nullptr};
    std::vector<uint8_t> gpuFree;   ///< 1 by GPU id where it is free
    const JobOracle* jobs{nullptr}; ///< null: only the free GPUs are known
    uint64_t seed{1};               ///< of the run
};

/// What a waiting job asks for.
struct PlacementRequest
{
    uint32_t job{0};
    uint32_t gpus{0};
    uint32_t gpusPerHost{0};       ///< 0: up to the placement
    std::vector<uint32_t> hosts{}; ///< node ids, if the user named hosts
    /// Numbers of the GPUs within each host if the user gave them, ascending; gpusPerHost is then
    /// their count.
    std::vector<uint32_t> localGpus{};
    std::string model{}; ///< name of the job's model; empty if it has none
};

/// GPU ids in rank order (host-major).
struct Placement
{
    std::vector<uint32_t> gpus;
    std::string reason;
    std::string inputs{}; ///< JSON object: what it was based on besides the request; may be empty
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_VIEW_H
