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
    /// The path that ECMP gives to a UDP source port, by the switches' own hash.
    virtual LinkPath GetEcmpPath(uint32_t sourceNic,
                                 uint32_t destinationNic,
                                 uint16_t udpSourcePort) const = 0;
    /**
     * The smallest UDP source port from 49152 on (wrapping; all 65,536 are tried, port 0
     * excepted) whose ECMP path is `path`, found by evaluating the hash hop by hop; -1: none.
     */
    virtual int32_t FindUdpSourcePort(uint32_t sourceNic,
                                      uint32_t destinationNic,
                                      const LinkPath& path) const = 0;
};

/// Remembers the candidate paths of NIC pairs for the length of one decision, as the flows of a
/// job (and both directions of each) ask for the same ones again.
class CandidatePaths
{
  public:
    explicit CandidatePaths(const PathOracle& oracle);

    /**
     * All shortest paths from a NIC to another (port ids), in the oracle's order; the reference
     * stays valid. Aborts where there is none.
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
    uint64_t wireBytes{0};     ///< an iteration, headers and gaps included [byte]
    uint64_t ackWireBytes{0};  ///< acknowledgements of an iteration, the other way [byte]
    uint16_t udpSourcePort{0}; ///< current
    LinkPath path;             ///< current path
};

/// Whether a job is measured.
enum class ProfileState : uint8_t
{
    NONE,    ///< nothing is measured: declared figures count
    WAITING, ///< for its turn
    RUNNING, ///< it is to have the top level alone
    DONE
};

/// What was measured of a job.
struct JobProfile
{
    uint32_t iterations{0}; ///< over which the rest is a mean
    /// (directed link, bytes on the wire of an iteration [byte]) by link, inside hosts, too.
    std::vector<std::pair<uint32_t, uint64_t>> linkBytes{};
    int64_t computePs{0}; ///< of an iteration, the mean over its ranks [ps]
    int64_t periodPs{0};  ///< of its traffic; 0: none was found [ps]
};

/**
 * The service that a job has had and that it still asks for. Service is what Tiresias (Gu et al.,
 * NSDI 2019) calls so: GPUs times time.
 */
struct JobService
{
    int64_t startPs{-1};    ///< first start of its ranks [ps]; -1: they have not started
    int64_t executedPs{0};  ///< for which its ranks have run, over all its starts [ps]
    uint64_t iterations{0}; ///< that all ranks have ended, those before failures included
    /// Mean time from the start of an iteration to that of the next, since its ranks last started
    /// [ps]; 0: not known, as none has ended since.
    int64_t iterationPs{0};
    /// Iterations that it still has to end, the one under way included; absent: not known, as it
    /// runs for a time or until another job ends.
    std::optional<uint64_t> remainingIterations{};
    /// For which it still runs, of a job with `duration` [ps]; absent: not given.
    std::optional<int64_t> remainingPs{};
    /// By when its user wants it to have ended [ps]; absent: not given.
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
    /// Part of the compute after which communication over the network may start, 0 to 1.
    double communicationStart{1};
    std::vector<FlowView> flows; ///< those over the network
    uint32_t level{0};           ///< current priority level, 0 best
    /// When its latest iteration started, plus the shifts that it was given and has not made yet;
    /// where it has not started, when it will [ps].
    int64_t iterationStartPs{0};
    /// (directed link, bytes on the wire of an iteration [byte]) by link: what the job sends over
    /// links inside its hosts, where these are modelled; paths there are not chosen.
    std::vector<std::pair<uint32_t, uint64_t>> insideLoads{};
    ProfileState profileState{ProfileState::NONE};
    JobProfile profile{}; ///< where the state is DONE; computePs is then the measured one
    TensorView tensors{}; ///< its gradients
    JobService service{};

    /// GPU time it has had: its GPUs times the time for which they have run [GPU ps].
    double GetAttainedService() const;
    /**
     * The length of an iteration [ps]: the mean so far (JobService::iterationPs), else the period
     * of a profile, else max(C, c C + t), that of a job alone in a network that only its NICs slow
     * down: C is the compute, c the part of it after which communication may start, and t the
     * longest time that a NIC takes for the bytes of an iteration in one direction.
     */
    int64_t EstimateIterationPs(const ClusterTopology& topology) const;
    /// GPU time it still asks for: GPUs times remaining iterations times their length, or times
    /// the remaining time [GPU ps]; nothing where neither is known.
    std::optional<double> GetRemainingService(const ClusterTopology& topology) const;
};

/// What the jobs of a view put on a directed link.
struct LinkLoad
{
    uint32_t link{0};           ///< id of the directed link
    uint32_t jobs{0};           ///< that use it
    uint64_t iterationBytes{0}; ///< on the wire, the sum over an iteration of each [byte]
    /// Mean over the iterations of the jobs: bytes of an iteration over its length
    /// (JobView::EstimateIterationPs) [bit/s].
    double rateBps{0};
};

/// What a scheduler may base a decision on: a value; all times in ps, all bytes on the wire.
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
     * The loads of the links as the flows lie now: a flow counts on its current path, one without
     * on none; of a job with a profile, what was measured counts, on the paths of that time.
     * Acknowledgements take paths of their own, which are not known: they count where they were
     * measured. Computed anew at each call.
     * \returns those with a load, by link
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
    std::string pathReason;              ///< why the paths are those
    std::vector<std::string> fallbacks;  ///< what could not be done, one sentence each
    /// The same, recorded at the first decision about the job only, and shown to the user at once.
    std::vector<std::string> warnings{};
    /// How its gradients are sent, where they are tensors; nothing: as before. Sizes are those of
    /// the job without its `scale:`.
    std::optional<TensorSchedule> tensors{};
};

/// The whole decision, one entry for each job of the view that it speaks of, in job order.
struct ScheduleDecision
{
    std::vector<JobDecision> jobs;

    /// One sentence on what makes it no decision about that view (order, levels, number of paths);
    /// empty if it is one.
    std::string Validate(const ClusterView& view) const;
};

/// Answers what a placement asks about jobs; a pure function of the state of the cluster.
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
    const JobOracle* jobs{nullptr}; ///< null: nothing is known but who is free
    uint64_t seed{1};               ///< of the run
};

/// What a waiting job asks for.
struct PlacementRequest
{
    uint32_t job{0};
    uint32_t gpus{0};
    uint32_t gpusPerHost{0};       ///< 0: as the placement likes
    std::vector<uint32_t> hosts{}; ///< node ids where the user named hosts
    /// Numbers of the GPUs within each host where the user gave them, ascending; gpusPerHost is
    /// their count then.
    std::vector<uint32_t> localGpus{};
    std::string model{}; ///< name of the job's model; empty where it has none
};

/// GPU ids in rank order (host-major).
struct Placement
{
    std::vector<uint32_t> gpus;
    std::string reason;
    std::string inputs{}; ///< JSON object of what it was based on beside the request; may be empty
};

} // namespace ns3

#endif // GPU_FABRIC_CLUSTER_VIEW_H
