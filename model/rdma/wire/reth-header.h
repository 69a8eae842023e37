/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RETH_HEADER_H
#define GPU_FABRIC_RETH_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{

/// The RDMA Extended Transport Header, 16 bytes (InfiniBand Architecture Specification 1.2.1,
/// 9.3.3): the destination and the length of a WRITE.
class RethHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 16; ///< [byte]

    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;

    void SetVirtualAddress(uint64_t address)
    {
        m_address = address;
    }

    uint64_t GetVirtualAddress() const
    {
        return m_address;
    }

    void SetRemoteKey(uint32_t key)
    {
        m_key = key;
    }

    uint32_t GetRemoteKey() const
    {
        return m_key;
    }

    /// \param length of the message [byte]
    void SetDmaLength(uint32_t length)
    {
        m_length = length;
    }

    uint32_t GetDmaLength() const
    {
        return m_length;
    }

    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    uint64_t m_address{0};
    uint32_t m_key{0};
    uint32_t m_length{0};
};

} // namespace ns3

#endif // GPU_FABRIC_RETH_HEADER_H
