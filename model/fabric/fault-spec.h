/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FAULT_SPEC_H
#define GPU_FABRIC_FAULT_SPEC_H

#include "../base/diagnostics.h"

#include "ns3/enum-names.h"
#include "ns3/nstime.h"
#include "ns3/quantity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// The effect of a fault in `faults:`.
enum class FaultAction : uint8_t
{
    DOWN,     ///< links, switch, NIC or host, from `at` on
    UP,       ///< ends a DOWN that has no end of its own
    DEGRADED, ///< links at `rate`
    FLAPPING, ///< links down for `down` of each `period`, then up for the rest of it, until `end`
    SLOW,     ///< a NIC takes frames at `rate`
    STORM,    ///< a NIC pauses its peer without end
    LOSE      ///< frames of directed links are lost with a probability
};

template <>
struct EnumNames<FaultAction>
{
    static constexpr EnumName<FaultAction> TABLE[] = {{FaultAction::DOWN, "down"},
                                                      {FaultAction::UP, "up"},
                                                      {FaultAction::DEGRADED, "degraded"},
                                                      {FaultAction::FLAPPING, "flapping"},
                                                      {FaultAction::SLOW, "slow"},
                                                      {FaultAction::STORM, "storm"},
                                                      {FaultAction::LOSE, "lose"}};
};

/// The target of a fault.
enum class FaultTarget : uint8_t
{
    LINK, ///< a cable, or one direction of it
    SWITCH,
    NIC,
    HOST
};

template <>
struct EnumNames<FaultTarget>
{
    static constexpr EnumName<FaultTarget> TABLE[] = {{FaultTarget::LINK, "link"},
                                                      {FaultTarget::SWITCH, "switch"},
                                                      {FaultTarget::NIC, "nic"},
                                                      {FaultTarget::HOST, "host"}};
};

/// Kinds of frames that a fault loses.
enum class LostFrames : uint8_t
{
    DATA, ///< of WRITE, SEND and READ, requests of READ included
    PAUSE,
    ACK,
    CNP,
    NAK
};

template <>
struct EnumNames<LostFrames>
{
    static constexpr EnumName<LostFrames> TABLE[] = {{LostFrames::DATA, "data"},
                                                     {LostFrames::PAUSE, "pause"},
                                                     {LostFrames::ACK, "ack"},
                                                     {LostFrames::CNP, "cnp"},
                                                     {LostFrames::NAK, "nak"}};
};

/// A fault in `faults:`.
struct FaultSpec
{
    std::string path; ///< for messages, e.g. "faults[1]"
    FaultAction action{FaultAction::DOWN};
    FaultTarget kind{FaultTarget::LINK}; ///< kind of its target
    std::string target;                  ///< name of its target, as written
    std::vector<uint32_t> links;         ///< cables, for faults of links and NICs
    std::vector<uint32_t> ports;         ///< LOSE: directed links; SLOW, STORM: the NIC's port
    uint32_t node{0};                    ///< the switch or host
    Time at;                             ///< when it begins
    std::optional<Time> end;             ///< nothing: not within the run
    BitRate rate;                        ///< DEGRADED: of the links; SLOW: of the NIC
    Time period;                         ///< FLAPPING: from one going down to the next
    Time down;                           ///< FLAPPING: of each period
    std::vector<LostFrames> frames;      ///< LOSE: kinds of frames; empty: all
    double probability{0};               ///< LOSE: 0 to 1
    std::optional<uint32_t> priority;    ///< STORM: the only one; nothing: every lossless one
    SourceMark mark;
};

} // namespace ns3

#endif // GPU_FABRIC_FAULT_SPEC_H
