/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PFC_HEADER_H
#define GPU_FABRIC_PFC_HEADER_H

#include "ns3/header.h"
#include "ns3/mac48-address.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * A priority-based flow control frame after its Ethernet header (IEEE 802.1Qbb-2011, Annex 31D of
 * IEEE 802.3): opcode 0x0101, class-enable vector, eight times, all big-endian; 20 bytes, which the
 * sender pads to the 46 of the smallest Ethernet frame.
 */
class PfcHeader : public Header
{
  public:
    static constexpr uint16_t ETHER_TYPE = 0x8808; ///< MAC control
    static constexpr uint16_t OPCODE = 0x0101;
    static constexpr uint32_t CLASSES = 8;
    static constexpr uint32_t SIZE = 4 + 2 * CLASSES; ///< [byte]
    static constexpr uint32_t PAD = 46 - SIZE;        ///< [byte]

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    /// The multicast address of MAC control frames, which is not forwarded by bridges.
    static Mac48Address GetDestination();

    /**
     * Sets the time of a class and enables it.
     * \param priority class, less than CLASSES
     * \param quanta time of the pause in units of 512 bit times; 0: resume
     */
    void SetTime(uint32_t priority, uint16_t quanta);

    /// Bit p: class p is enabled.
    uint16_t GetClassEnableVector() const
    {
        return m_enabled;
    }

    /// [512 bit times]
    uint16_t GetTime(uint32_t priority) const
    {
        return m_times.at(priority);
    }

    uint16_t GetOpcode() const
    {
        return m_opcode;
    }

    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint16_t m_opcode{OPCODE};
    uint16_t m_enabled{0};
    std::array<uint16_t, CLASSES> m_times{};
};

} // namespace ns3

#endif // GPU_FABRIC_PFC_HEADER_H
