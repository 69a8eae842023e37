/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RECORD_SPEC_H
#define GPU_FABRIC_RECORD_SPEC_H

#include "../base/source-mark.h"
#include "../base/typed-block.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// `measure:` the window of the utilisation figures (semantics.md).
struct MeasureSpec
{
    std::optional<int64_t> fromPs; ///< [ps]; none: at the end of the warm-up
    std::optional<int64_t> toPs;   ///< [ps]; none: when the first job ends
    uint32_t warmup{2};            ///< iterations
    std::vector<std::string> jobs; ///< empty: all
};

/// `record:` what is written to the database in addition to what always is.
struct RecordSpec
{
    bool jobs{true};                    ///< iterations, spans, utilisation, job_link
    bool collectives{true};             ///< CollectiveRecorder
    bool transfers{false};              ///< transfers of jobs; those of `flows` are always recorded
    bool events{true};                  ///< pause, fabric_event
    int64_t linkIntervalPs{0};          ///< period of link_sample [ps]; 0: none
    std::vector<TypedBlock> recorders;  ///< others, by their TypeIds
    bool pcap{false};                   ///< a pcap file for each port of these nodes
    std::vector<std::string> pcapNodes; ///< hosts and switches; empty: all hosts
    SourceMark pcapMark;
};

} // namespace ns3

#endif // GPU_FABRIC_RECORD_SPEC_H
