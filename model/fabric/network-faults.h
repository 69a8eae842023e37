/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NETWORK_FAULTS_H
#define GPU_FABRIC_NETWORK_FAULTS_H

#include "pfc.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * What can go wrong with cables, switches and NICs. A port that nothing is wrong with costs one
 * branch where it sends and one where its frames arrive.
 *
 * A cable that goes down loses the frames that are on it, in both directions. What its ports send
 * from then on takes its time and is lost, so that their queues drain and the buffer is released;
 * pauses in force on it end, and those that its ports have asked for are told anew when it is up
 * again. Switches learn of a cable's state `ConvergenceTime` after it changed, then all choose
 * among the paths that are left. A frame that has none is dropped.
 *
 * Of the frames that a dead cable or a lack of routes loses, the first of each queue pair is an
 * event; the rest is counted in the event of the cable's return, and in the link's counters.
 *
 * Of a split fabric the logical process of the simulator decides and reports, and all do it at the
 * event that it is running.
 */
class NetworkFaults
{
  public:
    /// \param net and what follows outlive it
    NetworkFaults(NetworkState& net,
                  Pfc& pfc,
                  JobLinkAccounts& accounts,
                  const FabricSettings& settings);

    /// Takes a cable down or gives it back; it is up when all who took it down have given it back.
    void SetLinkUp(int64_t now, uint32_t link, bool up);
    /// Takes all cables of a node down, or gives them back; a switch loses what its queues hold.
    void SetNodeUp(int64_t now, uint32_t node, bool up);
    /// Another rate of a cable in both directions [bit/s]; 0: its own.
    void SetLinkRate(int64_t now, uint32_t link, uint64_t rateBps);
    /// Loses frames of a directed link. \returns a number by which RemoveLoss() knows it
    uint32_t AddLoss(uint32_t port, const FrameLoss& loss);
    void RemoveLoss(uint32_t number);
    /**
     * A NIC takes data frames at a rate only [bit/s]; 0: as they come again. What waits stands in
     * its receive buffer. It pauses its peer's lossless priorities when half of that is full, and
     * resumes them at a quarter; frames that do not fit are dropped.
     */
    void SetReceiveRate(int64_t now, uint32_t nicPort, uint64_t rateBps);
    /// Reports something as an event of the fabric. \param link directed, or NO_ID
    void ReportFault(int64_t now,
                     const char* kind,
                     uint32_t node,
                     uint32_t link,
                     const std::string& detail);

    /**
     * Changes what this logical process has of what an order is about. \returns the frames that it
     * has lost while the link was down which is given back; else 0 \param down of REROUTE: whether
     * a link is down, by link
     */
    uint64_t Apply(const FabricFaultOrder& order, const std::vector<uint8_t>& down);

    /// Whether a cable is up.
    bool IsLinkUp(uint32_t link) const
    {
        return m_downCount.empty() || m_downCount[link] == 0;
    }

    /// Heads of the queues in which frames wait to be taken by slow NICs.
    std::vector<uint32_t> GetReceiveQueueHeads() const;

    /// Has all logical processes apply it; the sum of what they return.
    uint64_t Order(const FabricFaultOrder& order, const std::vector<uint8_t>& down = {});
    /// A frame has arrived over an impaired wire. \returns whether it went elsewhere
    bool ArriveImpaired(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    /// A port that may have to lose the frame is to send it. \returns whether it did lose it
    bool TransmitImpaired(int64_t now, uint32_t portId, FabricPort& port, uint32_t frame);
    void DropUnrouted(int64_t now, uint32_t inId, uint32_t frame);
    /// Counts, reports and frees a frame. \param aggregate only the first of its queue pair
    void Lose(int64_t now, uint32_t portId, uint32_t frame, const char* reason, bool aggregate);

  private:
    /// Frames that a slow NIC has received and not yet taken, oldest first.
    struct ReceiveQueue
    {
        uint32_t nic{0}; ///< port id
        uint32_t head{NO_FRAME};
        uint32_t tail{NO_FRAME};
        uint64_t bytes{0};     ///< [byte]
        uint64_t psPerByte{0}; ///< [2^-20 ps]
        bool slow{false};      ///< still to be slow
        EventId taking;        ///< the first one is taken
    };

    struct Loss
    {
        uint32_t port;
        FrameLoss loss;
        bool active;
    };

    /// Makes room for what is kept by link, which most runs need not.
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

    std::vector<uint16_t> m_downCount;         ///< by link; empty: nothing was ever down
    std::vector<uint8_t> m_routedDown;         ///< by link: down as far as the switches know
    std::vector<uint64_t> m_lostWhileDown;     ///< by link
    std::vector<ReceiveQueue> m_receiveQueues; ///< of NICs that were ever slow
    std::vector<Loss> m_losses;
    std::vector<uint64_t> m_lossDraws; ///< by port
    /// (port, queue pair) whose first lost frame has been reported in this outage.
    std::set<std::pair<uint32_t, uint32_t>> m_reported;
    std::set<std::pair<uint32_t, uint32_t>> m_reportedUnrouted; ///< (ingress port, queue pair)
    bool m_rebuildPending{false};
};

} // namespace ns3

#endif // GPU_FABRIC_NETWORK_FAULTS_H
