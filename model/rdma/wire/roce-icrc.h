/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ROCE_ICRC_H
#define GPU_FABRIC_ROCE_ICRC_H

#include "ns3/trailer.h"

#include <cstdint>

namespace ns3
{

/**
 * The invariant CRC at the end of a RoCEv2 packet, 4 bytes, least significant first (InfiniBand
 * Architecture Specification 1.2.1, 7.8.1; RoCEv2: Annex A17.3.3).
 */
class RoceIcrc : public Trailer
{
  public:
    static constexpr uint32_t SIZE = 4; ///< [byte]

    /**
     * The CRC-32 of eight bytes FF and the packet, with the fields that may change on the way set
     * to FF: type of service, TTL and checksum of IP, checksum of UDP, byte 4 of the BTH.
     * \param packet from the IP header to the last byte before the ICRC
     * \param size of it, at least that of the headers of IP, UDP and BTH, 40 [byte]
     */
    static uint32_t Compute(const uint8_t* packet, uint32_t size);

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    void Set(uint32_t value)
    {
        m_value = value;
    }

    uint32_t Get() const
    {
        return m_value;
    }

    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator end) const override;
    uint32_t Deserialize(Buffer::Iterator end) override;

  private:
    uint32_t m_value{0};
};

} // namespace ns3

#endif // GPU_FABRIC_ROCE_ICRC_H
