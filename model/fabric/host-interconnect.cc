/* SPDX-License-Identifier: GPL-2.0-only */
#include "host-interconnect.h"

#include "../base/quantity-value.h"
#include "frame-pool.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HostInterconnect");

NS_OBJECT_ENSURE_REGISTERED(HostInterconnect);

TypeId
HostInterconnect::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HostInterconnect")
            .SetParent<Object>()
            .SetGroupName("GpuFabric")
            .AddConstructor<HostInterconnect>()
            .AddAttribute("SegmentBytes",
                          "Payload that moves through a host as one. Each link of a way "
                          "takes its time after the one before, so large ones add delay, small "
                          "ones events.",
                          ByteSizeValue(65'536),
                          MakeByteSizeAccessor(&HostInterconnect::m_segmentBytes),
                          MakeByteSizeChecker(256, 1u << 24))
            .AddAttribute("Window",
                          "Segments that one GPU may have under way to another of its host; the "
                          "default fills the NVLinks of an H100.",
                          UintegerValue(32),
                          MakeUintegerAccessor(&HostInterconnect::m_window),
                          MakeUintegerChecker<uint32_t>(1, 1u << 16));
    return tid;
}

void
HostInterconnect::Build(Ptr<Fabric> fabric,
                        const ClusterTopology& topology,
                        FabricEndpoint* network)
{
    m_fabric = fabric;
    m_topology = &topology;
    m_network = network;
    m_firstInside = topology.GetNetworkPortCount();
    NS_LOG_LOGIC("ports inside hosts: " << topology.GetPortCount() - m_firstInside);
}

const HostRoute&
HostInterconnect::GetRoute(uint32_t source, uint32_t destination)
{
    const uint32_t host = m_topology->GetNodes()[source].host;
    NS_ABORT_MSG_IF(host == TopologyNode::NO_HOST ||
                        host != m_topology->GetNodes()[destination].host,
                    "a channel joins two parts of one host");
    const HostLayout* layout = m_topology->GetLayout(host);
    const uint32_t first = m_topology->GetPart(host, 0);
    const auto key = std::make_tuple(layout, source - first, destination - first);
    auto entry = m_routes.find(key);
    if (entry == m_routes.end())
    {
        entry = m_routes.emplace(key, layout->FindRoute(source - first, destination - first)).first;
    }
    return entry->second;
}

uint32_t
HostInterconnect::GetGpuPart(uint32_t gpu) const
{
    const uint32_t host = m_topology->GetGpuHost(gpu);
    return m_topology->GetPart(host, gpu - m_topology->GetFirstGpu(host));
}

uint32_t
HostInterconnect::GetNicPart(uint32_t nic) const
{
    const uint32_t host = m_topology->GetPortNode(nic);
    const std::vector<uint32_t>& ports = m_topology->GetNodes()[host].ports;
    const auto number = std::find(ports.begin(), ports.end(), nic) - ports.begin();
    return m_topology->GetPart(
        host,
        m_topology->GetLayout(host)->GetNicPart(static_cast<uint32_t>(number)));
}

uint64_t
HostInterconnect::GetFrameBytes(const HostLayout& layout,
                                TopologyLinkKind kind,
                                uint64_t bytes) const
{
    // A frame is never smaller than the gap that the fabric deducts from it in queues.
    return std::max<uint64_t>(layout.GetWireBytes(kind, bytes), m_fabric->GetGapBytes());
}

uint64_t
HostInterconnect::SumSegments(uint64_t bytes,
                              const std::function<uint64_t(uint64_t bytes)>& segmentBytes) const
{
    const uint64_t full = bytes / m_segmentBytes;
    const uint64_t rest = bytes % m_segmentBytes;
    return (full > 0 ? full * segmentBytes(m_segmentBytes) : 0) +
           (rest > 0 ? segmentBytes(rest) : 0);
}

uint64_t
HostInterconnect::GetMessageWireBytes(const HostLayout& layout,
                                      TopologyLinkKind kind,
                                      uint64_t bytes) const
{
    return SumSegments(bytes,
                       [&](uint64_t segment) { return GetFrameBytes(layout, kind, segment); });
}

uint32_t
HostInterconnect::OpenChannel(uint32_t job,
                              uint32_t source,
                              uint32_t destination,
                              uint8_t priority,
                              uint32_t window,
                              HostChannelClient* client,
                              bool returns)
{
    const HostRoute& route = GetRoute(source, destination);
    NS_ABORT_MSG_IF(route.paths.empty(),
                    "no way leads from " << m_topology->GetNodes()[source].name << " to "
                                         << m_topology->GetNodes()[destination].name);
    const uint32_t host = m_topology->GetNodes()[source].host;
    Channel channel;
    channel.job = job + 1; // NO_ID becomes 0
    channel.route = &route;
    channel.layout = m_topology->GetLayout(host);
    channel.firstPort = m_topology->GetInsidePort(host, 0);
    channel.window = window;
    channel.priority = priority;
    channel.returns = returns;
    channel.client = client;
    channel.serial = m_serial++;
    if (m_free.empty())
    {
        m_channels.push_back(channel);
        return static_cast<uint32_t>(m_channels.size() - 1);
    }
    const uint32_t id = m_free.back();
    m_free.pop_back();
    m_channels[id] = channel;
    return id;
}

void
HostInterconnect::CloseChannel(uint32_t channel)
{
    m_totals.abandonedBytes += GetBytesUnderWay(m_channels[channel]);
    m_channels[channel].client = nullptr;
    m_channels[channel].messages = {};
    m_channels[channel].sent = {};
    if (m_channels[channel].frames == 0)
    {
        m_free.push_back(channel);
    }
}

void
HostInterconnect::Post(int64_t now, uint32_t channel, uint64_t bytes, uint64_t tag)
{
    NS_ABORT_MSG_IF(bytes == 0, "a message has at least one byte");
    m_channels[channel].messages.push_back({tag, bytes});
    m_totals.postedBytes += bytes;
    Send(now, channel);
}

void
HostInterconnect::ReturnCredit(int64_t now, uint32_t channel)
{
    NS_ASSERT(m_channels[channel].underWay > 0);
    --m_channels[channel].underWay;
    Send(now, channel);
}

void
HostInterconnect::Send(int64_t now, uint32_t id)
{
    Channel& channel = m_channels[id];
    FramePool& frames = m_fabric->GetFrames();
    while (!channel.messages.empty() && channel.underWay < channel.window)
    {
        Message& message = channel.messages.front();
        HostSegment segment;
        segment.tag = message.tag;
        segment.bytes = static_cast<uint32_t>(std::min<uint64_t>(message.bytes, m_segmentBytes));
        message.bytes -= segment.bytes;
        segment.last = message.bytes == 0;
        if (segment.last)
        {
            channel.messages.pop_front();
        }
        const uint32_t path = channel.nextPath;
        channel.nextPath = (path + 1) % static_cast<uint32_t>(channel.route->paths.size());
        const std::vector<uint32_t>& ports = channel.route->paths[path];

        const uint32_t index = frames.Allocate();
        Frame& frame = frames[index];
        frame = Frame();
        frame.kind = FrameKind::DATA;
        frame.priority = channel.priority;
        frame.job = static_cast<uint16_t>(channel.job);
        frame.source = channel.firstPort + ports.front();
        frame.destination = channel.firstPort + (ports.back() ^ 1);
        frame.queuePair = id;
        frame.psn = channel.nextNumber++;
        frame.payload = segment.bytes;
        frame.wireBytes = static_cast<uint32_t>(
            GetFrameBytes(*channel.layout, channel.route->kind, segment.bytes));
        frame.ingress = 0; // links crossed
        frame.flowHash = path;
        channel.sent.push_back({segment});
        ++channel.underWay;
        ++channel.frames;
        m_fabric->Queue(now, frame.source, index);
    }
}

void
HostInterconnect::ReceiveFrame(int64_t now, uint32_t port, uint32_t index)
{
    if (port < m_firstInside)
    {
        m_network->ReceiveFrame(now, port, index);
        return;
    }
    Frame& frame = m_fabric->GetFrames()[index];
    const Channel& channel = m_channels[frame.queuePair];
    if (port != frame.destination)
    {
        const std::vector<uint32_t>& ports = channel.route->paths[frame.flowHash];
        m_fabric->SendControl(now, channel.firstPort + ports[++frame.ingress], index);
        return;
    }
    const Frame copy = frame;
    m_fabric->GetFrames().Free(index);
    Arrive(now, copy);
}

void
HostInterconnect::Arrive(int64_t now, const Frame& frame)
{
    const uint32_t id = frame.queuePair;
    --m_channels[id].frames;
    if (m_channels[id].client == nullptr)
    {
        if (m_channels[id].frames == 0)
        {
            m_free.push_back(id);
        }
        return;
    }
    // Paths of equal length may differ in queueing.
    std::deque<SentSegment>& sent = m_channels[id].sent;
    const auto oldest = m_channels[id].nextNumber - static_cast<uint32_t>(sent.size());
    sent[frame.psn - oldest].arrived = true;
    // The client may close the channel, and its id may be reused.
    const uint64_t serial = m_channels[id].serial;
    while (m_channels[id].serial == serial && m_channels[id].client != nullptr &&
           !m_channels[id].sent.empty() && m_channels[id].sent.front().arrived)
    {
        const HostSegment segment = m_channels[id].sent.front().segment;
        m_channels[id].sent.pop_front();
        m_totals.arrivedBytes += segment.bytes;
        const bool returns = m_channels[id].returns;
        m_channels[id].client->SegmentArrived(now, id, segment);
        if (!returns && m_channels[id].serial == serial && m_channels[id].client != nullptr)
        {
            ReturnCredit(now, id);
        }
    }
}

uint64_t
HostInterconnect::GetBytesUnderWay(const Channel& channel)
{
    uint64_t bytes = 0;
    for (const Message& message : channel.messages)
    {
        bytes += message.bytes;
    }
    for (const SentSegment& segment : channel.sent)
    {
        bytes += segment.segment.bytes;
    }
    return bytes;
}

uint64_t
HostInterconnect::GetBytesUnderWay() const
{
    uint64_t bytes = 0;
    for (const Channel& channel : m_channels)
    {
        bytes += GetBytesUnderWay(channel);
    }
    return bytes;
}

uint32_t
HostInterconnect::NextFrame(int64_t now, uint32_t port, uint32_t allowed, int64_t& retryAt)
{
    return port < m_firstInside ? m_network->NextFrame(now, port, allowed, retryAt) : NO_FRAME;
}

uint32_t
HostInterconnect::GetReadyPriorities(int64_t now, uint32_t port)
{
    return port < m_firstInside ? m_network->GetReadyPriorities(now, port) : 0;
}

void
HostInterconnect::PauseChanged(int64_t now, uint32_t port, uint32_t pausedMask)
{
    NS_ASSERT(port < m_firstInside);
    m_network->PauseChanged(now, port, pausedMask);
}

void
HostInterconnect::FrameDropped(int64_t now, uint32_t frame)
{
    NS_ASSERT_MSG(m_fabric->GetFrames()[frame].source < m_firstInside,
                  "nothing inside a host sends again what is lost");
    m_network->FrameDropped(now, frame);
}

void
HostInterconnect::DoDispose()
{
    m_fabric = nullptr;
    m_network = nullptr;
    m_channels.clear();
    m_free.clear();
    Object::DoDispose();
}

} // namespace ns3
