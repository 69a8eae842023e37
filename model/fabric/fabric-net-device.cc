/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/fabric-net-device.h"

#include "ns3/fabric.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricChannel);
NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricChannel")
                            .SetParent<Channel>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<FabricChannel>()
                            .AddAttribute("Delay",
                                          "Propagation delay; that of the topology's link.",
                                          TimeValue(Time(0)),
                                          MakeTimeAccessor(&FabricChannel::m_delay),
                                          MakeTimeChecker(Time(0)));
    return tid;
}

void
FabricChannel::Attach(Ptr<FabricNetDevice> device)
{
    m_devices.push_back(device);
    device->SetChannel(this);
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

TypeId
FabricNetDevice::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricNetDevice")
                            .SetParent<NetDevice>()
                            .SetGroupName("GpuFabric")
                            .AddConstructor<FabricNetDevice>()
                            .AddAttribute("SentBytes",
                                          "Bytes sent on the wire, preamble and gap included.",
                                          TypeId::ATTR_GET,
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&FabricNetDevice::GetSentBytes),
                                          MakeUintegerChecker<uint64_t>())
                            .AddTraceSource("MacTxDrop",
                                            "A packet was handed to Send(), which carries none.",
                                            MakeTraceSourceAccessor(&FabricNetDevice::m_dropTrace),
                                            "ns3::Packet::TracedCallback");
    return tid;
}

FabricNetDevice::FabricNetDevice() = default;

void
FabricNetDevice::DoDispose()
{
    if (m_fabric && !m_linkChange.IsEmpty())
    {
        m_fabric->TraceDisconnectWithoutContext("LinkState",
                                                MakeCallback(&FabricNetDevice::OnLinkState, this));
    }
    m_fabric = nullptr;
    m_node = nullptr;
    m_channel = nullptr;
    NetDevice::DoDispose();
}

void
FabricNetDevice::SetPort(Ptr<Fabric> fabric, uint32_t port)
{
    m_fabric = fabric;
    m_port = port;
}

uint64_t
FabricNetDevice::GetSentBytes() const
{
    uint64_t bytes = 0;
    for (uint32_t priority = 0; m_fabric && priority < m_fabric->GetQueueCount(); ++priority)
    {
        bytes += m_fabric->GetLinkCounters(m_port, priority).bytes;
    }
    return bytes;
}

void
FabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

bool
FabricNetDevice::SetMtu(const uint16_t mtu)
{
    m_deviceMtu = mtu;
    return true;
}

void
FabricNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    // The fabric tells only those devices that somebody asks.
    if (m_fabric && m_linkChange.IsEmpty())
    {
        m_fabric->TraceConnectWithoutContext("LinkState",
                                             MakeCallback(&FabricNetDevice::OnLinkState, this));
    }
    m_linkChange.ConnectWithoutContext(callback);
}

void
FabricNetDevice::OnLinkState(uint32_t link, bool /* up */)
{
    if (link == m_port / 2)
    {
        m_linkChange();
    }
}

Address
FabricNetDevice::GetMulticast(Ipv4Address group) const
{
    return Mac48Address::GetMulticast(group);
}

Address
FabricNetDevice::GetMulticast(Ipv6Address address) const
{
    return Mac48Address::GetMulticast(address);
}

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& /* destination */, uint16_t /* protocol */)
{
    m_dropTrace(packet);
    return false;
}

bool
FabricNetDevice::SendFrom(Ptr<Packet> packet,
                          const Address& /* source */,
                          const Address& destination,
                          uint16_t protocol)
{
    return Send(packet, destination, protocol);
}

} // namespace ns3
