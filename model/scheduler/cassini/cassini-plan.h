/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_CASSINI_PLAN_H
#define GPU_FABRIC_CASSINI_PLAN_H

#include "cassini-circle.h"

#include "ns3/cluster-view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Time shifts of jobs that share links (CASSINI, NSDI 2024, Algorithms 1 and 2): the affinity graph
 * of jobs and links, the best rotations on each link's unified circle, and the shifts that follow
 * in a graph without loops.
 *
 * A job computes for a time C and communicates for a time t, which its bytes take on its busiest
 * link without contention, from the fraction phi of the compute on: its iteration lasts max(C, phi
 * C + t), and on each link its demand is bytes / t while it communicates. Acknowledgements are not
 * counted. A link on which the total demand of the jobs never exceeds the capacity is not part of
 * the graph. Links that are shared by exactly the same jobs (such as both directions of a cable)
 * form one vertex with one circle; otherwise every pair of such links would be a loop.
 */
class CassiniPlan
{
  public:
    /// Resolution and effort of the search.
    struct Options
    {
        uint32_t angles{72};          ///< cells of the shortest iteration of a circle
        uint32_t maximumCells{5'000}; ///< of a circle; beyond that, cells become longer
        CassiniCircle::Search search;
    };

    /// What a job does in an iteration when it runs alone.
    struct Profile
    {
        int64_t iterationPs{0};
        int64_t communicationPs{0};      ///< 0: it does not use the network
        int64_t communicationStartPs{0}; ///< after the start of the iteration
        uint64_t wireBytes{0};           ///< of all its flows
    };

    /// Links that are shared by the same jobs.
    struct Vertex
    {
        std::vector<uint32_t> jobs;   ///< indices into the list of jobs, ascending
        std::vector<uint32_t> links;  ///< directed links, ascending
        std::vector<int64_t> shiftPs; ///< by position in `jobs`: the rotation as a time [ps]
        double score{1};
        double unshiftedScore{1}; ///< if all iterations started together
        uint64_t cells{0};        ///< of the circle
        bool exact{true};         ///< whether the rotation is optimal among whole cells
    };

    /// Jobs that are connected by links.
    struct Component
    {
        std::vector<uint32_t> jobs;     ///< indices, ascending
        std::vector<uint32_t> vertices; ///< indices, ascending
        bool hasLoop{false};            ///< no shifts then
        uint32_t root{0};               ///< the job that the others are shifted relative to
    };

    /// \param jobs whose flows have paths
    CassiniPlan(const ClusterTopology& topology,
                const std::vector<JobView>& jobs,
                const Options& options);

    static Profile GetProfile(const ClusterTopology& topology, const JobView& job);

    const std::vector<Profile>& GetProfiles() const
    {
        return m_profiles;
    }

    const std::vector<Vertex>& GetVertices() const
    {
        return m_vertices;
    }

    const std::vector<Component>& GetComponents() const
    {
        return m_components;
    }

    /// When its iterations start relative to those of the root of its component, modulo its
    /// iteration time [ps]; 0 for a job without a component and in a component with a loop.
    int64_t GetShiftPs(uint32_t job) const
    {
        return m_shifts[job];
    }

    bool HasLoop() const;
    /// Mean of the links' scores; 1 where no link is contended.
    double GetMeanScore() const;
    /// The smallest of the links' scores; 1 where no link is contended.
    double GetLowestScore() const;

  private:
    void FindVertices(const ClusterTopology& topology, const std::vector<JobView>& jobs);
    void Solve(const ClusterTopology& topology, Vertex& vertex, const Options& options);
    void FindComponents(const std::vector<JobView>& jobs);
    /// Traverses a component without loops breadth-first from its root (Algorithm 1).
    void SpreadShifts(const Component& component);

    std::vector<Profile> m_profiles;
    std::vector<std::vector<uint64_t>> m_bytes; ///< by job and directed link
    std::vector<Vertex> m_vertices;
    std::vector<Component> m_components;
    std::vector<int64_t> m_shifts; ///< by job [ps]
};

} // namespace ns3

#endif // GPU_FABRIC_CASSINI_PLAN_H
