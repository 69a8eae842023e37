/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_ADDRESS_H
#define GPU_FABRIC_FABRIC_ADDRESS_H

#include "ns3/ipv4-address.h"
#include "ns3/mac48-address.h"

#include <cstdint>

namespace ns3
{

/// The addresses of a port, derived from its id alone: IPv4 10.x.y.z, where x.y.z is the id plus 1,
/// and the locally administered MAC address 02:00:0a:x:y:z with the same bytes. Port 0 is 10.0.0.1.
class FabricAddress
{
  public:
    /// Number of ports that can have an address: all of 10.0.0.0/8 except its first and last.
    static constexpr uint32_t MAX_PORTS = (1 << 24) - 2;

    /// \param port less than MAX_PORTS
    static Ipv4Address GetIpv4(uint32_t port);
    /// \param port less than MAX_PORTS
    static Mac48Address GetMac(uint32_t port);
    /// The port of an address; -1 if it is not the address of a port.
    static int64_t FindPort(Ipv4Address address);
    static int64_t FindPort(Mac48Address address);
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_ADDRESS_H
