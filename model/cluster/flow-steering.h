/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FLOW_STEERING_H
#define GPU_FABRIC_FLOW_STEERING_H

#include "ns3/cluster-view.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * The UDP source ports of a job's flows, which determine their paths (RoCEv2 entropy; Crux, SIGCOMM
 * 2024, section 5).
 *
 * A flow without a decision has a port that is a function of (seed, job name, flow), so that ECMP
 * selects the same path under every scheduler. A flow with a decided path has a port that the
 * switches' own hash maps to it.
 */
class FlowSteering
{
  public:
    /// The result of applying a decided path.
    enum class Outcome
    {
        KEPT,       ///< the port is unchanged
        CHANGED,    ///< another port
        UNREACHABLE ///< no port leads to the path: the flow keeps its ECMP port
    };

    /// The first of the dynamic ports (RFC 6335), from which default ports are drawn.
    static constexpr uint16_t FIRST_PORT = 49152;

    FlowSteering() = default;
    /**
     * Gives all flows their default ports.
     * \param seed seed of the run
     * \param job name of the job
     * \param oracle maps ports to paths; it must outlive this object
     * \param flows flow i at index i
     */
    FlowSteering(uint64_t seed,
                 const std::string& job,
                 const PathOracle& oracle,
                 std::vector<FlowView> flows);

    /// The default port of a flow, 49152 to 65535.
    static uint16_t GetDefaultPort(uint64_t seed, const std::string& job, uint32_t flow);

    /// The flows with their ports and paths.
    const std::vector<FlowView>& GetFlows() const;
    /// Whether the path of a flow was decided (else: ECMP).
    bool IsSteered(uint32_t flow) const;
    /// Sends a flow along a path; an empty one leaves it to ECMP.
    Outcome Steer(uint32_t flow, const LinkPath& path);

  private:
    /// The port and path of a flow under ECMP.
    struct Default
    {
        uint16_t udpSourcePort;
        LinkPath path;
    };

    /// Resets a flow to its default port; returns whether the port has changed.
    bool Reset(uint32_t flow);

    const PathOracle* m_oracle{nullptr};
    std::vector<FlowView> m_flows;
    std::vector<Default> m_defaults;
    std::vector<bool> m_steered;
};

} // namespace ns3

#endif // GPU_FABRIC_FLOW_STEERING_H
