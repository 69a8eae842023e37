/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_BTH_HEADER_H
#define GPU_FABRIC_BTH_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{

/// Opcodes of the packets that the transport sends (InfiniBand Architecture Specification 1.2.1,
/// 9.2.1; CNP: Annex A17.9.3).
enum class BthOpcode : uint8_t
{
    SEND_FIRST = 0x00,
    SEND_MIDDLE = 0x01,
    SEND_LAST = 0x02,
    SEND_ONLY = 0x04,
    WRITE_FIRST = 0x06,
    WRITE_MIDDLE = 0x07,
    WRITE_LAST = 0x08,
    WRITE_ONLY = 0x0a,
    READ_REQUEST = 0x0c,
    RESPONSE_FIRST = 0x0d, ///< to a READ, as are those that follow
    RESPONSE_MIDDLE = 0x0e,
    RESPONSE_LAST = 0x0f,
    RESPONSE_ONLY = 0x10,
    ACKNOWLEDGE = 0x11,
    CNP = 0x81
};

/**
 * The Base Transport Header, 12 bytes (InfiniBand Architecture Specification 1.2.1, 9.2): opcode;
 * solicited event, migration state, pad count, version 0; partition key 0xffff; FECN and BECN;
 * destination queue pair, 24 bits; acknowledge request; PSN, 24 bits.
 */
class BthHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 12; ///< [byte]
    static constexpr uint16_t DEFAULT_PARTITION = 0xffff;

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    /// Any value: opcodes that are not a BthOpcode can be received.
    void SetOpcode(BthOpcode opcode)
    {
        m_opcode = static_cast<uint8_t>(opcode);
    }

    uint8_t GetOpcode() const
    {
        return m_opcode;
    }

    /// Bytes that pad the payload to a multiple of four, 0 to 3.
    void SetPadCount(uint8_t count)
    {
        m_padCount = count & 3;
    }

    uint8_t GetPadCount() const
    {
        return m_padCount;
    }

    /// Backward congestion notification, set in a CNP.
    void SetBecn(bool becn)
    {
        m_becn = becn;
    }

    bool IsBecn() const
    {
        return m_becn;
    }

    /// Migrated: the connection is on its primary path.
    void SetMigrated(bool migrated)
    {
        m_migrated = migrated;
    }

    bool IsMigrated() const
    {
        return m_migrated;
    }

    void SetAckRequest(bool request)
    {
        m_ackRequest = request;
    }

    bool IsAckRequest() const
    {
        return m_ackRequest;
    }

    /// \param queuePair 24 bits
    void SetDestinationQueuePair(uint32_t queuePair)
    {
        m_queuePair = queuePair & 0xffffff;
    }

    uint32_t GetDestinationQueuePair() const
    {
        return m_queuePair;
    }

    /// \param psn 24 bits
    void SetPsn(uint32_t psn)
    {
        m_psn = psn & 0xffffff;
    }

    uint32_t GetPsn() const
    {
        return m_psn;
    }

    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint8_t m_opcode{0};
    uint8_t m_padCount{0};
    uint8_t m_version{0};
    bool m_solicited{false};
    bool m_migrated{false};
    bool m_fecn{false};
    bool m_becn{false};
    bool m_ackRequest{false};
    uint16_t m_partition{DEFAULT_PARTITION};
    uint32_t m_queuePair{0};
    uint32_t m_psn{0};
};

} // namespace ns3

#endif // GPU_FABRIC_BTH_HEADER_H
