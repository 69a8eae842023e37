/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_GPU_INTENSITY_H
#define GPU_FABRIC_GPU_INTENSITY_H

#include "ns3/cluster-view.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * GPU intensity of a job: I_j = W_j / t_j with t_j = max over links e of M_{j,e} / B_e, where W_j
 * is the work of an iteration [FLOP], M_{j,e} the bytes of an iteration on directed link e and
 * B_e its rate (Crux, SIGCOMM 2024, section 3, Definition 2).
 *
 * Links are those of the network and, if modelled, those inside hosts (PCIe, NVLink). For a job
 * with a profile, M is the measured value; otherwise it comes from the job's program, in wire bytes
 * and including the job's acknowledgements. A flow counts with an equal share on every candidate
 * path, whichever it takes now, so that I does not depend on the choice of paths that is based on
 * it.
 */
class GpuIntensity
{
  public:
    /// Measures a job of the view.
    GpuIntensity(const ClusterTopology& topology, const JobView& job, CandidatePaths& paths);

    /// I_j [FLOP/s]; infinite if the job uses no link.
    double GetIntensity() const;
    /// t_j [s]; 0 if the job uses no link.
    double GetLinkSeconds() const;
    /// Bytes that the flows carry in an iteration, without acknowledgements [byte]; for a job with
    /// a profile, what its NICs send, including acknowledgements.
    uint64_t GetWireBytes() const;
    /// The directed link that determines t_j (the smallest id in case of ties); NO_ID without
    /// traffic.
    uint32_t GetBottleneck() const;
    /// (directed link, M_{j,e} [byte]) of the links that need the most time, longest first (ties:
    /// smallest id), at most `count` of them.
    std::vector<std::pair<uint32_t, double>> GetHeaviestLinks(uint32_t count) const;
    /// Whether another job can use one of the links, which is so for all links but those of a GPU.
    bool CanContend() const;
    /// Bytes of an iteration over the network, as GetWireBytes(), and the sum over the links inside
    /// hosts, to compare the traffic of jobs [byte].
    std::pair<uint64_t, uint64_t> GetTraffic() const;
    /// Number of directed links that the job may use.
    uint32_t GetLinkCount() const;

  private:
    /// Adds the traffic declared by the program, of flows and inside hosts, to the shares of links.
    void AddDeclared(const JobView& job, CandidatePaths& paths, std::vector<uint64_t>& shares);
    /// Adds the measured traffic.
    void AddMeasured(const ClusterTopology& topology,
                     const JobView& job,
                     std::vector<uint64_t>& shares);

    /// Bytes on a link in units of 2^-16 byte: integers, so that the order of the flows cannot
    /// make two equal jobs differ in the last bit.
    struct LinkLoad
    {
        uint32_t link;
        uint64_t shares;
        double seconds;
    };

    double m_flop;
    uint64_t m_wireBytes{0};
    uint64_t m_insideBytes{0};
    bool m_canContend{false};
    double m_linkSeconds{0};
    uint32_t m_bottleneck{NO_ID};
    std::vector<LinkLoad> m_links; ///< by link id
};

} // namespace ns3

#endif // GPU_FABRIC_GPU_INTENSITY_H
