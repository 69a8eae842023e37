/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_JOB_TRANSPORT_H
#define GPU_FABRIC_JOB_TRANSPORT_H

#include "../../base/fifo.h"
#include "../../collective/collective-transport.h"
#include "job-environment.h"
#include "job-ranks.h"
#include "job-traffic.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/// Notified of failed queue pairs.
class JobTransportListener
{
  public:
    virtual ~JobTransportListener() = default;
    /// A queue pair has given up. \param flow index into JobTraffic::flows
    virtual void FlowFailed(int64_t now, uint32_t flow) = 0;
};

/**
 * Carries the chunks of one job: between hosts over one queue pair per flow, kept while the job
 * runs; within a host over NVLink or PCIe.
 *
 * If the inside of hosts is modelled, messages within a host are delivered and completed when
 * HostInterconnect has transferred them; their priority is that of Apply(), or else the highest
 * that a decision has given a flow of the job. If it is not, NVLink sends the messages of one GPU
 * one after the other at NvlinkRate, and each is delivered and completed NvlinkDelay later.
 * StepOverhead delays every message in either case, and so does what a schedule says of its
 * execution (CollectiveExecution): the time before a message, and the rate at which a rank copies
 * the data of a channel.
 */
class JobTransport : public Object,
                     public CollectiveTransport,
                     public RdmaClient,
                     LaneHandler,
                     HostChannelClient
{
  public:
    static TypeId GetTypeId();

    /**
     * Sets the traffic to carry; called once, before Open().
     * \param environment what jobs share
     * \param job number of the job
     * \param program the program, must outlive this object
     * \param traffic its traffic, must outlive this object
     * \param gpus GPU ids in rank order
     * \param listener notified of failures
     */
    void Configure(JobEnvironment* environment,
                   uint32_t job,
                   const IterationProgram* program,
                   const JobTraffic* traffic,
                   const std::vector<uint32_t>& gpus,
                   JobTransportListener* listener);

    /// Sets the first collective numbers, by communicator, of a job that resumes after a failure.
    void SetFirstCollectives(std::vector<uint32_t> first)
    {
        m_firstCollectives = std::move(first);
    }

    /// Sets who receives the chunks, before Open().
    void SetReceiver(ChunkReceiver* receiver)
    {
        m_receiver = receiver;
    }

    /// Claims the GPUs and opens a queue pair for each flow, in the order of the flows.
    void Open(int64_t now);
    /// Releases the GPUs; messages in progress are discarded. Queue pairs remain open.
    void Close();
    /**
     * Closes the queue pairs that have failed or have no outstanding messages, after Close(). Must
     * not be called from a callback of the network.
     * \param abort abort outstanding messages, because the job has failed
     * \returns whether all are closed; if not, it may be called again
     */
    bool DestroyQueuePairs(int64_t now, bool abort = false);

    /**
     * Sets paths and priorities of flows, for queue pairs to be opened or on live ones.
     * \param now [ps]
     * \param updates flows that change
     * \param localPriority priority of messages within hosts that are not yet in progress; nothing:
     * unchanged
     */
    void Apply(int64_t now,
               const std::vector<FlowUpdate>& updates,
               const std::optional<uint8_t>& localPriority = std::nullopt);

    /// Queue pair of a flow; NO_ID before Open().
    uint32_t GetQueuePair(uint32_t flow) const
    {
        return m_flows[flow].queuePair;
    }

    uint32_t FindRoute(uint32_t communicator,
                       uint32_t source,
                       uint32_t destination,
                       uint32_t channel,
                       const CollectiveExecution& execution) override;
    void Send(int64_t now, uint32_t route, uint64_t bytes, const ChunkMessage& message) override;
    void Launch(int64_t now,
                uint32_t rank,
                int64_t delayPs,
                const CollectiveLaunch& launch) override;

    void MessageDelivered(int64_t now, uint32_t queuePair, const MessageTag& tag) override;
    void MessageCompleted(int64_t now, uint32_t queuePair, const MessageTag& tag) override;
    void QueuePairFailed(int64_t now, uint32_t queuePair) override;

  protected:
    void DoDispose() override;

  private:
    static constexpr uint32_t NVLINK = UINT32_MAX; ///< in place of a flow
    static constexpr uint32_t KIND_ARRIVAL = 0;
    static constexpr uint32_t KIND_TIMER = 1;

    struct FlowState
    {
        uint16_t udpSourcePort{0};         ///< 0: the default of the queue pair
        std::optional<uint8_t> priority{}; ///< nothing: JobEnvironment::defaultPriority
        uint32_t queuePair{UINT32_MAX};
        uint64_t outstanding{0}; ///< messages
        bool failed{false};
        bool destroyed{false};
    };

    /// The flow that carries messages of a rank on (communicator, channel, destination).
    struct FlowEntry
    {
        uint64_t key{0};
        uint32_t flow{0};
    };

    /// The way of messages from one rank to another.
    struct Route
    {
        uint32_t flow{NVLINK};
        uint32_t source{0};      ///< rank
        uint32_t destination{0}; ///< rank
        uint32_t worker{0};      ///< index into m_workers
        bool waits{false};       ///< messages are not posted at once
        CollectiveExecution execution;
    };

    /// What a rank has to do later.
    struct Timer
    {
        enum class Kind : uint8_t
        {
            POST,
            ARRIVAL, ///< over NVLink, of a channel whose rate is limited
            LAUNCH
        };

        int64_t timePs{0};
        uint64_t number{0}; ///< in the order of creation
        Kind kind{Kind::POST};
        uint32_t route{0};    ///< of a POST
        uint64_t bytes{0};    ///< of a POST
        int64_t arrivalPs{0}; ///< of a POST inside a host: it arrives no earlier [ps]
        ChunkMessage message; ///< of a POST or ARRIVAL
        CollectiveLaunch launch;

        /// Whether it comes after another one.
        bool operator>(const Timer& other) const
        {
            return timePs != other.timePs ? timePs > other.timePs : number > other.number;
        }
    };

    /// A message on NVLink.
    struct Arrival
    {
        int64_t timePs{0};
        ChunkMessage message;
    };

    /// The sending side of a rank.
    struct RankState
    {
        uint32_t gpu{0};
        int64_t nvlinkFreePs{0};
        uint64_t nvlinkRest{0};    ///< remainder of the last division, if back to back
        Fifo<Arrival> arrivals;    ///< on NVLink
        std::vector<Timer> timers; ///< a heap, the next one first
    };

    static uint64_t GetKey(CollectiveNics nics,
                           uint32_t communicator,
                           uint32_t channel,
                           uint32_t destination)
    {
        return static_cast<uint64_t>(communicator) << 48 | static_cast<uint64_t>(channel) << 32 |
               static_cast<uint64_t>(nics) << 31 | destination;
    }

    /// A path between two GPUs of a host and the messages on it, oldest first.
    struct LocalChannel
    {
        uint32_t sourceRank{0};
        uint32_t destinationRank{0};
        std::deque<ChunkMessage> messages;
    };

    /// Duration of a number of bytes at a rate [ps], rounded up.
    static int64_t GetDurationPs(uint64_t bytes, uint64_t rateBps);
    /// \param arrivalPs inside a host: it arrives no earlier [ps]
    void Dispatch(int64_t now,
                  const Route& route,
                  uint64_t bytes,
                  int64_t arrivalPs,
                  const ChunkMessage& message);
    void AddTimer(uint32_t rank, Timer timer);
    void RunTimer(int64_t now, uint32_t rank);
    void FinishLocal(int64_t now, const ChunkMessage& message);
    /// The channel of a pair of ranks of a host, opened on first use.
    uint32_t GetLocalChannel(uint32_t source, uint32_t destination);
    void SegmentArrived(int64_t now, uint32_t channel, const HostSegment& segment) override;
    uint8_t GetLocalPriority() const;
    void ApplyLocalPriority();
    /// When a message over NVLink has arrived [ps].
    int64_t OccupyNvlink(int64_t now, uint32_t rank, uint64_t bytes);
    void HandleLaneEvent(int64_t now, uint32_t rank, uint32_t kind) override;
    uint32_t FindFlow(uint32_t queuePair) const;

    DataRate m_nvlinkRate;
    Time m_nvlinkDelay;
    Time m_stepOverhead;

    JobEnvironment* m_environment{nullptr};
    uint32_t m_job{0};
    const JobTraffic* m_traffic{nullptr};
    JobTransportListener* m_listener{nullptr};
    ChunkReceiver* m_receiver{nullptr};
    std::vector<FlowState> m_flows;
    std::vector<RankState> m_ranks;
    std::vector<std::vector<FlowEntry>> m_flowsOfRank;          ///< by source rank, then by key
    std::vector<std::map<uint32_t, uint32_t>> m_channelsOfRank; ///< inside the host, by destination
    std::vector<Route> m_routes;                                ///< as FindRoute() numbers them
    /// By communicator, rank, channel and peer (its own rank: all): index into m_workers.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>, uint32_t> m_workerOf;
    std::vector<int64_t> m_workers; ///< when what copies a channel's data is free [ps]
    uint64_t m_timerCount{0};
    std::vector<std::pair<uint32_t, uint32_t>> m_flowOfQueuePair; ///< sorted
    std::map<uint32_t, LocalChannel> m_locals;                    ///< by channel
    std::vector<uint32_t> m_firstCollectives;                     ///< by communicator
    std::optional<uint8_t> m_localPriority;                       ///< nothing: that of the flows
    bool m_open{false};
};

} // namespace ns3

#endif // GPU_FABRIC_JOB_TRANSPORT_H
