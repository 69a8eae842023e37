/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_FRAMING_H
#define GPU_FABRIC_ROCE_FRAMING_H

#include "ns3/rdma-client.h"

#include <cstdint>

namespace ns3
{

/**
 * Sizes of RoCEv2 frames [byte] (InfiniBand Architecture Specification 1.2.1, Annex A17).
 *
 * Ethernet 14, IPv4 20, UDP 8, BTH 12, payload, pad to 4, ICRC 4, FCS 4; RETH 16 on the first frame
 * of a WRITE and in a READ request; AETH 4 on an acknowledgement and on the first, last or only
 * response to a READ; 16 zero bytes in a CNP. Preamble, start delimiter and inter-frame gap take
 * another 20 on the wire. Non-zero overrides replace the header sizes, for comparison with models
 * that count differently.
 */
struct RoceFraming
{
    static constexpr uint32_t BASE = 14 + 20 + 8 + 12 + 4 + 4; ///< without payload
    static constexpr uint32_t RETH = 16;
    static constexpr uint32_t AETH = 4;
    static constexpr uint32_t CNP_PAYLOAD = 16;

    uint32_t mtu{4096};         ///< largest payload
    uint32_t headerBytes{0};    ///< override: header of every data frame, FCS included
    uint32_t ackBytes{0};       ///< override: an ACK or NAK, FCS included
    uint32_t gapBytes{20};      ///< preamble, start delimiter and gap
    uint32_t telemetryBytes{0}; ///< room for telemetry that switches append for congestion control,
                                ///< in data frames and acknowledgements without an override

    bool operator==(const RoceFraming& other) const
    {
        return mtu == other.mtu && headerBytes == other.headerBytes && ackBytes == other.ackBytes &&
               gapBytes == other.gapBytes && telemetryBytes == other.telemetryBytes;
    }

    /// A data frame of a WRITE on the wire.
    uint32_t GetDataWireBytes(uint32_t payload, bool first) const
    {
        if (headerBytes != 0)
        {
            return payload + headerBytes + gapBytes;
        }
        uint32_t padded = (payload + 3) & ~3u;
        return padded + BASE + (first ? RETH : 0) + gapBytes + telemetryBytes;
    }

    /// A response to a READ on the wire. \param edge first, last or only
    uint32_t GetResponseWireBytes(uint32_t payload, bool edge) const
    {
        return GetDataWireBytes(payload, false) + (edge && headerBytes == 0 ? AETH : 0);
    }

    /// A data frame of any operation on the wire.
    uint32_t GetDataWireBytes(RdmaOperation operation,
                              uint32_t payload,
                              bool first,
                              bool last) const
    {
        return operation == RdmaOperation::READ
                   ? GetResponseWireBytes(payload, first || last)
                   : GetDataWireBytes(payload, first && operation == RdmaOperation::WRITE);
    }

    uint32_t GetReadRequestWireBytes() const
    {
        return BASE + RETH + gapBytes;
    }

    uint32_t GetAckWireBytes() const
    {
        return (ackBytes != 0 ? ackBytes : BASE + AETH + telemetryBytes) + gapBytes;
    }

    uint32_t GetCnpWireBytes() const
    {
        return BASE + CNP_PAYLOAD + gapBytes;
    }

    /// Number of data frames of a message.
    uint64_t GetFrameCount(uint64_t bytes) const
    {
        return (bytes + mtu - 1) / mtu;
    }

    /// Bytes of all data frames of a message on the wire.
    uint64_t GetMessageWireBytes(uint64_t bytes,
                                 RdmaOperation operation = RdmaOperation::WRITE) const
    {
        uint64_t frames = GetFrameCount(bytes);
        auto last = static_cast<uint32_t>(bytes - (frames - 1) * mtu);
        uint64_t wire = GetDataWireBytes(operation, frames > 1 ? mtu : last, true, frames == 1);
        if (frames > 1)
        {
            wire += (frames - 2) * GetDataWireBytes(operation, mtu, false, false) +
                    GetDataWireBytes(operation, last, false, true);
        }
        return wire;
    }

    /// The largest frame on the wire.
    uint32_t GetMaxWireBytes() const
    {
        return GetDataWireBytes(mtu, true);
    }
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_FRAMING_H
