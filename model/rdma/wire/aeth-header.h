/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_AETH_HEADER_H
#define GPU_FABRIC_AETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{

/// The ACK Extended Transport Header, 4 bytes (InfiniBand Architecture Specification 1.2.1, 9.3.5
/// and 9.7.5.2): syndrome and message sequence number.
class AethHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 4; ///< [byte]
    /// ACK without end-to-end credits. ACKs have the upper three bits 000.
    static constexpr uint8_t ACK = 0x1f;
    /// NAK: PSN sequence error. NAKs have the upper three bits 011.
    static constexpr uint8_t NAK_SEQUENCE_ERROR = 0x60;
    /// NAK of selective repeat, a code that the specification reserves: the number is the PSN that
    /// was received (IRN, Mittal et al., SIGCOMM 2018, section 3.1).
    static constexpr uint8_t NAK_SELECTIVE = 0x65;

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    void SetSyndrome(uint8_t syndrome)
    {
        m_syndrome = syndrome;
    }

    uint8_t GetSyndrome() const
    {
        return m_syndrome;
    }

    /// \param number of messages completed, 24 bits; with NAK_SELECTIVE a PSN
    void SetMessageSequenceNumber(uint32_t number)
    {
        m_number = number & 0xffffff;
    }

    uint32_t GetMessageSequenceNumber() const
    {
        return m_number;
    }

    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint8_t m_syndrome{ACK};
    uint32_t m_number{0};
};

} // namespace ns3

#endif // GPU_FABRIC_AETH_HEADER_H
