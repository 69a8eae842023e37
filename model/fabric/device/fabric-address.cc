/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-address.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t NETWORK = 10u << 24;

} // namespace

Ipv4Address
FabricAddress::GetIpv4(uint32_t port)
{
    NS_ABORT_MSG_IF(port >= MAX_PORTS, "10.0.0.0/8 has no address for port " << port);
    return Ipv4Address(NETWORK + port + 1);
}

Mac48Address
FabricAddress::GetMac(uint32_t port)
{
    uint8_t bytes[6] = {0x02, 0x00};
    GetIpv4(port).Serialize(bytes + 2);
    Mac48Address address;
    address.CopyFrom(bytes);
    return address;
}

int64_t
FabricAddress::FindPort(Ipv4Address address)
{
    int64_t port = static_cast<int64_t>(address.Get()) - NETWORK - 1;
    return port < MAX_PORTS ? std::max<int64_t>(port, -1) : -1;
}

int64_t
FabricAddress::FindPort(Mac48Address address)
{
    uint8_t bytes[6];
    address.CopyTo(bytes);
    return bytes[0] == 0x02 && bytes[1] == 0 ? FindPort(Ipv4Address::Deserialize(bytes + 2)) : -1;
}

} // namespace ns3
