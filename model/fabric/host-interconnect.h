/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HOST_INTERCONNECT_H
#define GPU_FABRIC_HOST_INTERCONNECT_H

#include "fabric-endpoint.h"

#include "ns3/cluster-topology.h"
#include "ns3/fabric.h"
#include "ns3/object.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{

/// A piece of a message that moves through a host as one unit.
struct HostSegment
{
    uint64_t tag{0};   ///< of the message
    uint32_t bytes{0}; ///< payload [byte]
    bool last{false};  ///< of the message
};

/// The user of a channel inside a host. Called from event handlers, never from inside Post().
class HostChannelClient
{
  public:
    virtual ~HostChannelClient() = default;
    /// A segment has reached the end of the channel; segments arrive in order. \param now [ps]
    virtual void SegmentArrived(int64_t now, uint32_t channel, const HostSegment& segment) = 0;
};

/// Payload that channels inside hosts have carried [byte].
struct HostTotals
{
    uint64_t postedBytes{0};
    uint64_t arrivedBytes{0};
    uint64_t abandonedBytes{0}; ///< of channels closed before it had arrived
};

/**
 * Moves data inside hosts: between GPUs over NVLink or PCIe, and between GPUs and NICs over PCIe.
 *
 * A message is cut into segments of SegmentBytes; each is a frame, larger than any MTU, on the same
 * kind of ports as those of the network: served by priority, counted by job and link. PCIe
 * switches, root complexes and NVSwitches forward a segment once it has been received completely
 * (store and forward) and queue at their egress without limit. The data in flight on a channel are
 * bounded by its window, as they are by PCIe credits and NCCL's buffers, and so are the queues.
 * Nothing is lost.
 *
 * It sits between the fabric and the endpoint of the network's ports, and passes on frames that are
 * not its own.
 */
class HostInterconnect : public Object, public FabricEndpoint
{
  public:
    static TypeId GetTypeId();

    /**
     * Binds it to its surroundings, before the fabric is built with it as its endpoint.
     * \param topology the cluster with insides, must outlive this
     * \param network the endpoint of the network's ports, must outlive this
     */
    void Build(Ptr<Fabric> fabric, const ClusterTopology& topology, FabricEndpoint* network);

    /**
     * Opens a channel between two GPUs, or a GPU and a NIC, of one host.
     * \param job number of the job, NO_ID: none
     * \param source node id of a part of a host
     * \param destination node id of another part of it
     * \param priority egress queue of the ports
     * \param window maximum number of segments in flight; a segment is in flight until its credit
     * is returned
     * \param client receives the segments
     * \param returns whether the client returns the credit of a segment; otherwise its arrival does
     * \returns a dense id, that of a closed channel if there is one; aborts if there is no path
     */
    uint32_t OpenChannel(uint32_t job,
                         uint32_t source,
                         uint32_t destination,
                         uint8_t priority,
                         uint32_t window,
                         HostChannelClient* client,
                         bool returns = false);
    /// Closes a channel; segments in flight are discarded on arrival.
    void CloseChannel(uint32_t channel);

    /// Sets the priority of segments that are not yet in flight.
    void SetPriority(uint32_t channel, uint8_t priority)
    {
        m_channels[channel].priority = priority;
    }

    /// Sends a message of bytes >= 1. \param now [ps]
    void Post(int64_t now, uint32_t channel, uint64_t bytes, uint64_t tag);
    /// Returns the credit of a segment to a channel. \param now [ps]
    void ReturnCredit(int64_t now, uint32_t channel);

    /// Number of segments that fit in a buffer, at least one.
    uint32_t GetSegments(uint64_t bufferBytes) const
    {
        return static_cast<uint32_t>(bufferBytes > m_segmentBytes ? bufferBytes / m_segmentBytes
                                                                  : 1);
    }

    /**
     * Sums over the segments of a message.
     * \param bytes payload of the message [byte]
     * \param segmentBytes gives the summand for a segment with a given payload
     */
    uint64_t SumSegments(uint64_t bytes,
                         const std::function<uint64_t(uint64_t bytes)>& segmentBytes) const;
    /// Bytes of a message on each link of a path, headers included. \param bytes payload [byte]
    uint64_t GetMessageWireBytes(const HostLayout& layout,
                                 TopologyLinkKind kind,
                                 uint64_t bytes) const;
    /// Node id of a GPU inside its host.
    uint32_t GetGpuPart(uint32_t gpu) const;
    /// Node id of a NIC inside its host. \param nic port id of the network
    uint32_t GetNicPart(uint32_t nic) const;
    /// The paths between two parts (node ids) of one host; empty if there is none.
    const HostRoute& GetRoute(uint32_t source, uint32_t destination);

    /// Window of a channel between GPUs (attribute Window) [segments].
    uint32_t GetWindow() const
    {
        return m_window;
    }

    /// Payload of open channels that has been posted and has not arrived [byte].
    uint64_t GetBytesUnderWay() const;

    const HostTotals& GetTotals() const
    {
        return m_totals;
    }

    void ReceiveFrame(int64_t now, uint32_t port, uint32_t frame) override;
    uint32_t NextFrame(int64_t now, uint32_t port, uint32_t allowed, int64_t& retryAt) override;
    uint32_t GetReadyPriorities(int64_t now, uint32_t port) override;
    void PauseChanged(int64_t now, uint32_t port, uint32_t pausedMask) override;
    void FrameDropped(int64_t now, uint32_t frame) override;

  protected:
    void DoDispose() override;

  private:
    struct Message
    {
        uint64_t tag;
        uint64_t bytes; ///< not yet in flight [byte]
    };

    struct SentSegment
    {
        HostSegment segment;
        bool arrived{false};
    };

    struct Channel
    {
        uint32_t job{0};
        const HostRoute* route{nullptr};
        const HostLayout* layout{nullptr};
        uint32_t firstPort{0}; ///< of the inside of the host
        uint32_t window{1};
        uint32_t underWay{0};   ///< segments whose credit has not been returned
        uint32_t frames{0};     ///< of these, in transit
        uint32_t nextPath{0};   ///< path of the next segment
        uint32_t nextNumber{0}; ///< of the next segment; psn of its frame
        uint64_t serial{0};     ///< unique, unlike ids, which are reused
        uint8_t priority{0};
        bool returns{false};
        HostChannelClient* client{nullptr}; ///< null: closed
        std::deque<Message> messages;       ///< to be sent
        std::deque<SentSegment> sent;       ///< not yet delivered, the oldest first
    };

    static uint64_t GetBytesUnderWay(const Channel& channel);
    /// Size of the frame of a segment [byte].
    uint64_t GetFrameBytes(const HostLayout& layout, TopologyLinkKind kind, uint64_t bytes) const;
    /// Sends as much as the window allows.
    void Send(int64_t now, uint32_t id);
    void Arrive(int64_t now, const Frame& frame);

    uint32_t m_segmentBytes{0};
    uint32_t m_window{0};
    Ptr<Fabric> m_fabric;
    const ClusterTopology* m_topology{nullptr};
    FabricEndpoint* m_network{nullptr};
    uint32_t m_firstInside{0}; ///< port id
    /// By layout, source and destination part; addresses are stable.
    std::map<std::tuple<const HostLayout*, uint32_t, uint32_t>, HostRoute> m_routes;
    std::vector<Channel> m_channels;
    uint64_t m_serial{0};
    HostTotals m_totals;
    std::vector<uint32_t> m_free; ///< closed channels without a frame
};

} // namespace ns3

#endif // GPU_FABRIC_HOST_INTERCONNECT_H
