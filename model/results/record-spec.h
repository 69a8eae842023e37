/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RECORD_SPEC_H
#define GPU_FABRIC_RECORD_SPEC_H

#include "../base/source-mark.h"
#include "../base/typed-block.h"

#include "ns3/enum-names.h"
#include "ns3/nstime.h"
#include "ns3/quantity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// `measure:` the window of the utilisation figures (semantics.md).
struct MeasureSpec
{
    std::optional<Time> from;      ///< none: at the end of the warm-up
    std::optional<Time> to;        ///< none: when the first job ends
    uint32_t warmup{2};            ///< iterations
    std::vector<std::string> jobs; ///< empty: all
};

/// Frames of a port that go to its pcap file.
enum class CaptureDirection : uint8_t
{
    BOTH,
    SENT,    ///< leave by the port
    RECEIVED ///< arrive at it
};

template <>
struct EnumNames<CaptureDirection>
{
    static constexpr EnumName<CaptureDirection> TABLE[] = {
        {CaptureDirection::BOTH, "both"},
        {CaptureDirection::SENT, "sent"},
        {CaptureDirection::RECEIVED, "received"}};
};

/// `record:` what is written to the database in addition to what always is.
struct RecordSpec
{
    bool jobs{true};                    ///< iterations, spans, utilisation, job_link
    bool collectives{true};             ///< CollectiveRecorder
    bool transfers{false};              ///< transfers of jobs; those of `flows` are always recorded
    bool events{true};                  ///< pause, fabric_event
    Time linkInterval;                  ///< period of link_sample; 0: none
    Time queuePairInterval;             ///< period of queue_pair_sample; 0: none
    std::vector<TypedBlock> recorders;  ///< others, by their TypeIds
    bool pcap{false};                   ///< a pcap file for each port of these nodes and links
    std::vector<std::string> pcapNodes; ///< hosts and switches
    std::vector<std::string> pcapLinks; ///< the ports that these leave; both empty: all hosts
    CaptureDirection pcapDirection{CaptureDirection::BOTH};
    Time pcapFrom;                    ///< included
    std::optional<Time> pcapTo;       ///< excluded; none: the end of the run
    std::optional<ByteSize> pcapSnap; ///< kept of each frame; none: all
    SourceMark pcapMark;
};

} // namespace ns3

#endif // GPU_FABRIC_RECORD_SPEC_H
