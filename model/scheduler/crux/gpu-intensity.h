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
 * Links are those of the network and, where they are modelled, those inside hosts (PCIe, NVLink).
 * Of a job with a profile, M is what was measured; of another one, what its program says: M is in
 * wire bytes, the job's acknowledgements included. A flow counts on every candidate path with an
 * equal share, whichever it takes now, so that I does not depend on the path choice that it serves
 * to make.
 */
class GpuIntensity
{
  public:
    /// Measures a job of the view.
    GpuIntensity(const ClusterTopology& topology, const JobView& job, CandidatePaths& paths);

    /// I_j [FLOP/s]; infinite where the job uses no link.
    double GetIntensity() const;
    /// t_j [s]; 0 where the job uses no link.
    double GetLinkSeconds() const;
    /// Bytes of an iteration that the flows carry, acknowledgements apart [byte]; of a job with a
    /// profile what its NICs send, acknowledgements included.
    uint64_t GetWireBytes() const;
    /// The directed link that gives t_j (the smallest id of several), NO_ID without traffic.
    uint32_t GetBottleneck() const;
    /// (directed link, M_{j,e} [byte]) of the links that need most time, longest first (ties:
    /// smallest id), at most `count` of them.
    std::vector<std::pair<uint32_t, double>> GetHeaviestLinks(uint32_t count) const;
    /// Whether another job can use one of the links: all but those of a GPU, which are its own.
    bool CanContend() const;
    /// Bytes of an iteration over the network, as GetWireBytes(), and summed over the links inside
    /// hosts, to tell which job has more traffic [byte].
    std::pair<uint64_t, uint64_t> GetTraffic() const;
    /// Number of directed links that the job may use.
    uint32_t GetLinkCount() const;

  private:
    /// Adds what the program says of flows and links inside hosts to the shares of links.
    void AddDeclared(const JobView& job, CandidatePaths& paths, std::vector<uint64_t>& shares);
    /// Adds what was measured.
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
