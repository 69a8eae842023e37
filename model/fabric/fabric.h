/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_H
#define GPU_FABRIC_FABRIC_H

#include "ns3/cluster-topology.h"
#include "ns3/enum-names.h"
#include "ns3/fabric-fault.h"
#include "ns3/fabric-records.h"
#include "ns3/fabric-switch.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/path-selector.h"
#include "ns3/traced-callback.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class DscpMap;
class FabricEndpoint;
class FabricObserver;
class FrameEncoder;
class FramePool;
class HopPipeline;
class RoutingTable;
struct Frame;
struct FrameLoss;

/// How the switches of a topology are assigned to logical processes.
enum class FabricPartitionBy : uint8_t
{
    AUTOMATIC, ///< by pod if there are at least as many as logical processes, else by leaf
    LEAF,      ///< each switch by itself
    POD        ///< switches that are connected without the highest tier stay together
};

template <>
struct EnumNames<FabricPartitionBy>
{
    static constexpr EnumName<FabricPartitionBy> TABLE[] = {{FabricPartitionBy::AUTOMATIC, "auto"},
                                                            {FabricPartitionBy::LEAF, "leaf"},
                                                            {FabricPartitionBy::POD, "pod"}};
};

/**
 * The network: ports with strict-priority queues, wires, switches with a shared buffer, PFC, ECN
 * and ECMP; faults of cables, switches and NICs; detection of PFC deadlocks and a watchdog.
 *
 * This is the user interface. On Config paths it is /FabricList/N from when it is built until it is
 * disposed of (FabricList), and the transport above it /FabricList/N/Transport. The journey of a
 * frame is in HopPipeline, which handles the lane events itself. Attributes are read when the
 * fabric is built.
 *
 * If the fabric is split into logical processes, readings cover all of them, at the event that is
 * running.
 */
class Fabric : public Object
{
  public:
    static TypeId GetTypeId();
    Fabric();
    ~Fabric() override;

    /**
     * Builds the fabric. Any number of fabrics may be built in one simulation; at equal times the
     * events of the one built first run first.
     * \param switches the configuration of each switch, in node order
     * \param endpoint the layer above the hosts' ports
     * \param maxFrameBytes largest frame on the wire [byte], for the headroom
     * \param gapBytes preamble and inter-frame gap, which occupy no buffer [byte]
     * \returns the faults of the configuration (a buffer smaller than its headroom)
     */
    std::vector<FabricFault> Build(const ClusterTopology& topology,
                                   uint64_t seed,
                                   const std::vector<Ptr<FabricSwitch>>& switches,
                                   FabricEndpoint* endpoint,
                                   uint32_t maxFrameBytes,
                                   uint32_t gapBytes);

    /// Sets what Config paths reach as "Transport"; null: nothing. It resets this before it is
    /// disposed of.
    void SetTransport(Object* transport)
    {
        m_transport = transport;
    }

    /**
     * Restricts the priorities that data of this run can have (bit p), before Build(); the default
     * is all. The highest lossless one, which carries data by default, is always among them. Where
     * a buffer cannot hold the headroom of all its lossless priorities, it is set aside for these.
     */
    void SetUsedPriorities(uint32_t mask)
    {
        m_usedPriorities = mask;
    }

    /// \name For the layer above the hosts' ports
    /// @{
    FramePool& GetFrames();
    /// A host's port has data to send: it will call NextFrame() until that returns nothing.
    void Kick(int64_t now, uint32_t portId);
    /// Queues a frame at a port, unaffected by pauses and the buffer; frames queued in the same
    /// instant compete by priority.
    void Queue(int64_t now, uint32_t portId, uint32_t frame);
    /// Queues a control frame at a host's port.
    void SendControl(int64_t now, uint32_t portId, uint32_t frame);
    /// @}

    /// \name The network
    /// @{
    const ClusterTopology& GetTopology() const;
    /// Routing over the whole topology, regardless of faults.
    const RoutingTable& GetRouting() const;
    /// Routing as currently known to the switches.
    const RoutingTable& GetLiveRouting() const;
    /// The path selector of the switches (that of the first switch if they differ).
    const PathSelector& GetPathSelector() const;
    /// Whether there is a path from one NIC to another.
    bool IsReachable(uint32_t sourceNic, uint32_t destinationNic) const;
    /// Whether a switch chooses paths per frame, so that frames may be reordered.
    bool IsSpraying() const;
    uint32_t GetQueueCount() const;
    /// The priority of ACK and NAK.
    uint32_t GetControlPriority() const;
    uint32_t GetCnpPriority() const;
    uint32_t GetLosslessMask() const;
    const DscpMap& GetDscpMap() const;
    /// Preamble and inter-frame gap [byte].
    uint32_t GetGapBytes() const;
    /// Serialisation time of bytes at a port [ps], rounded down.
    int64_t GetWireTime(uint32_t portId, uint64_t bytes) const;

    /// How long a pause frame lasts [512 bit times].
    uint32_t GetPauseQuanta() const
    {
        return m_pauseQuanta;
    }

    /// How a fabric is partitioned for threads.
    FabricPartitionBy GetPartition() const
    {
        return m_partition;
    }

    /// @}

    /// \name Readings
    /// @{
    FabricTotals GetTotals() const;
    LinkCounters GetLinkCounters(uint32_t link, uint32_t priority) const;
    uint64_t GetSentPauses(uint32_t link) const;
    uint64_t GetSentPfcFrames(uint32_t link) const;
    /// Counts frames per (job, link, priority); off by default.
    void EnableAccounting(bool enable);
    /// All counters, ordered by job, link and priority.
    std::vector<JobLinkCounters> GetJobLinkCounters() const;
    uint64_t GetBufferPeak(uint32_t switchIndex) const;
    /// Bytes waiting at a port [byte]. For a split fabric, only valid for a host's port.
    uint64_t GetQueueBytes(uint32_t portId, uint32_t priority) const;
    /// Currently paused priorities of a port (bit p). For a split fabric, only for a host's port.
    uint32_t GetPaused(int64_t now, uint32_t portId);
    /// Walks through all frames, with ended transmissions released. \param now [ps]
    FabricAudit GetAudit(int64_t now);

    /// Bytes still counted in the buffer of a switch [byte], with ended transmissions released.
    uint64_t GetBufferUsed(int64_t now, uint32_t switchIndex)
    {
        return GetAudit(now).bufferUsed[switchIndex];
    }

    /// Ends pauses still in force, so that they are recorded. Call once, at the end of the run.
    void FinishPauses(int64_t now);
    /// @}

    /// \name Faults, as described in NetworkFaults
    /// @{
    /// Takes a cable down or releases it; it is up once all that took it down have released it.
    void SetLinkUp(int64_t now, uint32_t link, bool up);
    bool IsLinkUp(uint32_t link) const;
    /// Takes all cables of a node down, or releases them; a switch loses the contents of its
    /// queues.
    void SetNodeUp(int64_t now, uint32_t node, bool up);
    /// Changes the rate of a cable in both directions [bit/s]; 0: its own.
    void SetLinkRate(int64_t now, uint32_t link, uint64_t rateBps);
    /// Starts to lose frames of a directed link. \returns a number for RemoveLoss()
    uint32_t AddLoss(uint32_t port, const FrameLoss& loss);
    void RemoveLoss(uint32_t number);
    /// Limits the rate at which a NIC takes data frames [bit/s]; 0: no limit.
    void SetReceiveRate(int64_t now, uint32_t nicPort, uint64_t rateBps);
    /// Lets a NIC pause priorities of its peer, whatever it receives; 0: none any more.
    void SetStorm(int64_t now, uint32_t nicPort, uint32_t priorities);
    /// Reports a fault as an event of the fabric. \param link directed, or NO_ID
    void ReportFault(int64_t now,
                     const char* kind,
                     uint32_t node,
                     uint32_t link,
                     const std::string& detail);

    /// Called once, when a deadlock is found, with the names of its cycle.
    using DeadlockCallback = std::function<void(int64_t now, const std::string& cycle)>;
    void SetDeadlockCallback(DeadlockCallback callback);
    /// @}

    /// \name Observing frames
    /// @{
    /// Sets the observer of the frames of a port; null: none.
    void SetObserver(uint32_t portId, FabricObserver* observer);
    /// Sets the encoder that builds packets from frames for observers.
    void SetFrameEncoder(Ptr<const FrameEncoder> encoder);
    /**
     * The packet that represents a frame on a wire.
     * \param portId the port that puts it on the wire
     * \param fcs whether it ends with the Ethernet frame check sequence
     */
    Ptr<Packet> MakePacket(const Frame& frame, uint32_t portId, bool fcs) const;
    /// @}

    /// Maps a topology node to an ns-3 node id, for Simulator::GetContext.
    void SetNodeContext(const std::vector<uint32_t>& ids);
    /// The ns-3 node id of a port's node.
    uint32_t GetPortContext(uint32_t portId) const;
    /// Class of its events in the lane; at equal times they run in the order of classes.
    uint32_t GetLaneClass();

    /// Notifies of an event, after those before it in all logical processes.
    void NotifyEvent(const FabricEventRecord& record,
                     const TracedCallback<const FabricEventRecord&>& trace) const;

    /// Notifies of a pause in another logical process.
    void NotifyPause(const PauseRecord& record)
    {
        m_pauseTrace(record);
    }

    /// The trace source of the fabric's events.
    const TracedCallback<const FabricEventRecord&>& GetEventTrace() const
    {
        return m_eventTrace;
    }

    /// The implementation, for the layers within the module.
    HopPipeline& GetPipeline() const
    {
        return *m_pipeline;
    }

    typedef void (*EventCallback)(const FabricEventRecord& record);
    typedef void (*PauseCallback)(const PauseRecord& record);
    /// A cable has gone down or come up. \param link of the topology
    typedef void (*LinkStateCallback)(uint32_t link, bool up);

  protected:
    void DoDispose() override;

  private:
    Ptr<Object> GetTransport() const;

    Object* m_transport{nullptr}; ///< it holds this object
    uint32_t m_queues;
    uint32_t m_controlPriority;
    int32_t m_cnpPriority; ///< -1: m_controlPriority
    std::string m_dscps;
    TypeId m_egressType;
    FabricPartitionBy m_partition;
    uint32_t m_pauseQuanta;
    double m_refreshFraction;
    Time m_convergenceTime;
    uint64_t m_receiveBuffer;
    Time m_deadlockDetection;
    uint32_t m_usedPriorities{UINT32_MAX};
    TracedCallback<const FabricEventRecord&> m_eventTrace;
    TracedCallback<const PauseRecord&> m_pauseTrace;
    TracedCallback<uint32_t, bool> m_linkStateTrace;
    std::unique_ptr<HopPipeline> m_pipeline;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_H
