/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RECORD_SPEC_H
#define GPU_FABRIC_RECORD_SPEC_H

#include "../base/diagnostics.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// `measure:` the window of the utilisation figures (semantics.md).
struct MeasureSpec
{
    std::optional<int64_t> fromPs;
    std::optional<int64_t> toPs;
    uint32_t warmup{2};            ///< iterations
    std::vector<std::string> jobs; ///< empty: all
};

/// What is written to the database.
struct RecordSpec
{
    bool jobs{true}; ///< jobs, iterations, spans, utilization, job_link
    bool collectives{true};
    bool transfers{false};              ///< transfers of jobs; those of `flows` always
    bool events{true};                  ///< pause, fabric_event
    int64_t linkIntervalPs{0};          ///< link_sample period [ps]; 0: none
    bool pcap{false};                   ///< a pcap file for each port of these nodes
    std::vector<std::string> pcapNodes; ///< hosts and switches; empty: all hosts
    SourceMark pcapMark;
};

} // namespace ns3

#endif // GPU_FABRIC_RECORD_SPEC_H
