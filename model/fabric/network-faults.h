/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NETWORK_FAULTS_H
#define GPU_FABRIC_NETWORK_FAULTS_H

#include "pfc.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Faults of cables, switches and NICs. A port without faults costs one branch when it sends and one
 * when its frames arrive.
 *
 * A cable that goes down loses the frames on it, in both directions. Frames that its ports send
 * from then on take their time and are lost, so that the queues drain and the buffer is released;
 * pauses in force on it end, and those requested by its ports are sent again when it is up again.
 * Switches learn of a cable's state `ConvergenceTime` after it changed; then all choose among the
 * remaining paths. A frame without a path is dropped.
 *
 * Of the frames lost to a dead cable or a lack of routes, the first of each queue pair is an event;
 * the others are counted in the event of the cable's return, and in the link's counters.
 *
 * In a split fabric the logical process of the simulator decides and reports, and all apply the
 * change at the event that it is running.
 */
class NetworkFaults
{
  public:
    /// \param net outlives it, as do the other arguments
    NetworkFaults(NetworkState& net,
                  Pfc& pfc,
                  JobLinkAccounts& accounts,
                  const FabricSettings& settings);

    /// Takes a cable down or releases it; it is up once all that took it down have released it.
    void SetLinkUp(int64_t now, uint32_t link, bool up);
    /// Takes all cables of a node down, or releases them; a switch loses the contents of its
    /// queues.
    void SetNodeUp(int64_t now, uint32_t node, bool up);
    /// Changes the rate of a cable in both directions [bit/s]; 0: its own.
    void SetLinkRate(int64_t now, uint32_t link, uint64_t rateBps);
    /// Starts to lose frames of a directed link. \returns a number for RemoveLoss()
    uint32_t AddLoss(uint32_t port, const FrameLoss& loss);
    void RemoveLoss(uint32_t number);
    /**
     * Limits the rate at which a NIC takes data frames [bit/s]; 0: no limit. Waiting frames are
     * held in its receive buffer. It pauses its peer's lossless priorities when half of the buffer
     * is full, and resumes them at a quarter; frames that do not fit are dropped.
     */
    void SetReceiveRate(int64_t now, uint32_t nicPort, uint64_t rateBps);
    /// Lets a NIC pause priorities of its peer, whatever it receives. \param priorities bit p: of
    /// priority p; 0: the storm is over
    void SetStorm(int64_t now, uint32_t nicPort, uint32_t priorities);
    /// Reports a fault as an event of the fabric. \param link directed, or NO_ID
    void ReportFault(int64_t now,
                     const char* kind,
                     uint32_t node,
                     uint32_t link,
                     const std::string& detail);

    /**
     * Applies an order to the state that this logical process owns. \returns for a link that comes
     * up, the frames lost here while it was down; else 0 \param down for REROUTE: whether a link is
     * down, by link
     */
    uint64_t Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down);

    /// Whether a cable is up.
    bool IsLinkUp(uint32_t link) const
    {
        return m_downCount.empty() || m_downCount[link] == 0;
    }

    /// Heads of the queues of frames waiting to be taken by slow NICs.
    std::vector<uint32_t> GetReceiveQueueHeads() const;

    /// Applies an order in all logical processes; returns the sum of their results.
    uint64_t Order(const FabricFaultOrder& order, const std::vector<uint8_t>& down = {});
    /// Handles a frame that has arrived over an impaired wire. \returns whether it was consumed
    bool ArriveImpaired(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    /// Handles a frame at a port that may have to lose it. \returns whether it was lost
    bool TransmitImpaired(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    void DropUnrouted(int64_t now, uint32_t inId, uint32_t frame);
    /// Counts, reports and frees a frame. \param aggregate only the first of its queue pair
    void Lose(int64_t now, uint32_t portId, uint32_t frame, const char* reason, bool aggregate);

  private:
    /// Frames that a slow NIC has received and not yet processed, oldest first.
    struct ReceiveQueue
    {
        uint32_t nic{0}; ///< port id
        uint32_t head{NO_FRAME};
        uint32_t tail{NO_FRAME};
        uint64_t bytes{0};     ///< [byte]
        uint64_t psPerByte{0}; ///< [2^-20 ps]
        bool slow{false};      ///< the NIC is still slow
        EventId taking;        ///< event at which the first one is taken
    };

    struct Loss
    {
        uint32_t port;
        FrameLoss loss;
        bool active;
    };

    /// Allocates the per-link state, which most runs do not need.
    void Reserve();
    void TakeDown(int64_t now, uint32_t portId);
    void GiveBack(int64_t now, uint32_t portId);
    void Flush(int64_t now, uint32_t portId);
    void ChangeRate(uint32_t portId, uint64_t rateBps);
    void EndLoss(uint32_t number);
    void ScheduleLearning(uint32_t link);
    void Learn(uint32_t link, bool down);
    void Rebuild();
    bool IsLost(uint32_t portId, const Frame& frame);
    void Receive(int64_t now, uint32_t nicPort, uint32_t frame);
    void ScheduleTaking(size_t queue);
    void TakeNext(size_t queue);

    NetworkState& m_net;
    Pfc& m_pfc;
    JobLinkAccounts& m_accounts;
    const FabricSettings& m_settings;

    std::vector<uint16_t> m_downCount;     ///< by link; empty: nothing was ever down
    std::vector<uint8_t> m_routedDown;     ///< by link: down as far as the switches have learned
    std::vector<uint64_t> m_lostWhileDown; ///< by link
    std::vector<ReceiveQueue> m_receiveQueues; ///< of NICs that have ever been slow
    std::map<uint32_t, uint32_t> m_storms;     ///< by NIC: mask of the priorities that it pauses
    std::vector<Loss> m_losses;
    std::vector<uint64_t> m_lossDraws; ///< by port
    /// (port, queue pair) whose first lost frame has been reported in this outage.
    std::set<std::pair<uint32_t, uint32_t>> m_reported;
    std::set<std::pair<uint32_t, uint32_t>> m_reportedUnrouted; ///< (ingress port, queue pair)
    bool m_rebuildPending{false};
};

} // namespace ns3

#endif // GPU_FABRIC_NETWORK_FAULTS_H
