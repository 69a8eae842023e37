/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_NET_DEVICE_H
#define GPU_FABRIC_FABRIC_NET_DEVICE_H

#include "ns3/channel.h"
#include "ns3/fabric-trace-source.h"
#include "ns3/fabric.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"

#include <memory>

namespace ns3
{

class FabricNetDevice;

/// The ns-3 representation of the cable between two ports.
class FabricChannel : public Channel
{
  public:
    static TypeId GetTypeId();
    void Attach(Ptr<FabricNetDevice> device);

    std::size_t GetNDevices() const override
    {
        return m_devices.size();
    }

    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    Time m_delay;
    std::vector<Ptr<FabricNetDevice>> m_devices;
};

/// The ns-3 representation of an egress queue (priority) of a port, created when it is asked for.
class FabricQueue : public Object, private FabricTraceOwner
{
  public:
    static TypeId GetTypeId();
    /// \param device notified when sinks connect or disconnect
    explicit FabricQueue(FabricTraceOwner& device);

    /// The device is gone.
    void Detach()
    {
        m_device = nullptr;
    }

    bool IsTraced() const
    {
        return !m_bytesTrace.IsEmpty();
    }

    /// The bytes that wait now [byte]. \param notify whether sinks are notified of a change
    void SetBytes(uint32_t bytes, bool notify);

  private:
    void TracesChanged() override;

    FabricTraceOwner* m_device;
    uint32_t m_bytes{0}; ///< as last notified [byte]
    FabricTraceSource<uint32_t, uint32_t> m_bytesTrace{*this};
};

/**
 * The ns-3 representation of a port: a name, an address, a place in the node's device list and
 * counters as attributes. It is a facade over the fabric's flat state and no frame passes through
 * it. Ordinary ns-3 packets are not carried: Send() refuses them.
 *
 * Its trace sources of packets are those of PointToPointNetDevice. The packets are Ethernet frames,
 * built from the fabric's frames only while a sink is connected. The end of a transmission is not
 * traced. The bytes in its egress queues are traced by its QueueList. Sinks observe the network and
 * must not change it. A port without sinks costs nothing; one with sinks cannot be in a network
 * that several threads simulate.
 */
class FabricNetDevice : public NetDevice, private FabricTraceOwner
{
  public:
    static TypeId GetTypeId();
    FabricNetDevice();
    ~FabricNetDevice() override;

    /// Binds the device to a port of a fabric.
    void SetPort(Ptr<Fabric> fabric, uint32_t port);

    uint32_t GetPort() const
    {
        return m_port;
    }

    /// Bytes sent on the wire, preamble and gap included [byte].
    uint64_t GetSentBytes() const;

    /// The queues of the port, by priority; as many as Fabric::GetQueueCount().
    std::size_t GetQueueCount() const;
    Ptr<FabricQueue> GetQueue(std::size_t priority) const;

    typedef void (*FrameCallback)(const FabricFrameRecord& record);
    typedef void (*PauseCallback)(const PauseChangeRecord& record);

    void SetIfIndex(const uint32_t index) override
    {
        m_ifIndex = index;
    }

    uint32_t GetIfIndex() const override
    {
        return m_ifIndex;
    }

    void SetChannel(Ptr<FabricChannel> channel)
    {
        m_channel = channel;
    }

    Ptr<Channel> GetChannel() const override
    {
        return m_channel;
    }

    void SetAddress(Address address) override;

    Address GetAddress() const override
    {
        return m_address;
    }

    bool SetMtu(const uint16_t mtu) override;

    uint16_t GetMtu() const override
    {
        return m_deviceMtu;
    }

    /// Whether the cable is up (faults take it down).
    bool IsLinkUp() const override
    {
        return !m_fabric || m_fabric->IsLinkUp(m_port / 2);
    }

    void AddLinkChangeCallback(Callback<void> callback) override;

    bool IsBroadcast() const override
    {
        return true;
    }

    Address GetBroadcast() const override
    {
        return Mac48Address::GetBroadcast();
    }

    bool IsMulticast() const override
    {
        return true;
    }

    Address GetMulticast(Ipv4Address group) const override;
    Address GetMulticast(Ipv6Address address) const override;

    bool IsBridge() const override
    {
        return false;
    }

    bool IsPointToPoint() const override
    {
        return true;
    }

    bool Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& destination,
                  uint16_t protocol) override;

    Ptr<Node> GetNode() const override
    {
        return m_node;
    }

    void SetNode(Ptr<Node> node) override
    {
        m_node = node;
    }

    bool NeedsArp() const override
    {
        return false;
    }

    void SetReceiveCallback(ReceiveCallback callback) override
    {
        m_receive = callback;
    }

    void SetPromiscReceiveCallback(PromiscReceiveCallback callback) override
    {
        m_promiscReceive = callback;
    }

    bool SupportsSendFrom() const override
    {
        return false;
    }

  protected:
    void DoDispose() override;

  private:
    using PacketTrace = FabricTraceSource<Ptr<const Packet>>;

    /// Emits what the fabric shows of the port.
    class Observer;

    void TracesChanged() override;
    /// Reads the bytes in the queues. \param notify whether sinks are notified of changes
    void ReadQueues(bool notify);

    void OnLinkState(uint32_t link, bool up);

    TracedCallback<> m_linkChange;
    Ptr<Fabric> m_fabric;
    uint32_t m_port{0};
    uint32_t m_ifIndex{0};
    uint16_t m_deviceMtu{4096};
    bool m_traceFcs;
    Mac48Address m_address;
    Ptr<Node> m_node;
    Ptr<FabricChannel> m_channel;
    ReceiveCallback m_receive;
    PromiscReceiveCallback m_promiscReceive;
    PacketTrace m_macTxTrace{*this};
    PacketTrace m_macTxDropTrace{*this};
    PacketTrace m_macRxTrace{*this};
    PacketTrace m_phyTxBeginTrace{*this};
    PacketTrace m_phyRxEndTrace{*this};
    PacketTrace m_phyRxDropTrace{*this};
    PacketTrace m_snifferTrace{*this};
    PacketTrace m_promiscSnifferTrace{*this};
    FabricTraceSource<const FabricFrameRecord&> m_ecnMarkTrace{*this};
    FabricTraceSource<const FabricFrameRecord&> m_dropTrace{*this};
    FabricTraceSource<const PauseChangeRecord&> m_pauseTrace{*this};
    mutable std::vector<Ptr<FabricQueue>> m_queues; ///< by priority; empty: none is asked for
    std::unique_ptr<Observer> m_observer;           ///< null until a sink is connected
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_NET_DEVICE_H
