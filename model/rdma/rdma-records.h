/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RDMA_RECORDS_H
#define GPU_FABRIC_RDMA_RECORDS_H

#include "ns3/fabric-records.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// A queue pair, emitted when it is created.
struct QueuePairRecord
{
    uint32_t queuePair{0};
    uint32_t job{NO_ID};        ///< NO_ID for a plain flow
    uint32_t sourceNic{0};      ///< port id of the sending NIC
    uint32_t destinationNic{0}; ///< port id of the receiving NIC
    uint32_t channel{0};
    uint16_t udpSourcePort{0};
    uint8_t priority{0};
    int64_t timePs{0};
};

/// A change of path or priority of a live queue pair, emitted when it takes effect.
struct QueuePairChangeRecord
{
    uint32_t queuePair{0};
    int64_t timePs{0};
    uint16_t oldUdpSourcePort{0};
    uint16_t newUdpSourcePort{0};
    uint8_t oldPriority{0};
    uint8_t newPriority{0};
    uint32_t decision{NO_ID}; ///< row of `decision`
};

/// One RDMA message, emitted when it is acknowledged at the sender, or when it never will be: its
/// queue pair is destroyed after a failure, or the run ends.
struct TransferRecord
{
    uint32_t queuePair{0};
    uint64_t message{0}; ///< running number within the queue pair
    uint32_t job{NO_ID};
    uint32_t collective{NO_ID}; ///< running number within the communicator
    uint32_t communicator{NO_ID};
    uint32_t step{NO_ID}; ///< transfer index of the schedule
    uint32_t channel{0};
    uint32_t sourceNic{0};
    uint32_t destinationNic{0};
    uint64_t bytes{0};
    uint8_t priority{0};
    int64_t startPs{0};     ///< posted
    int64_t deliveredPs{0}; ///< last frame arrived at the receiver; 0: not yet
    int64_t completedPs{0}; ///< its acknowledgement arrived at the sender; 0: not yet
    uint64_t retransmittedBytes{0};
    uint64_t deliveredBytes{0}; ///< payload that has arrived in order, each byte once [byte]
};

/// The state of a live queue pair at one instant.
struct QueuePairReading
{
    double rateBps{0};        ///< pacing rate that the congestion control sets [bit/s]
    uint64_t windowBytes{0};  ///< payload that may be in flight [byte]; largest: unlimited
    uint64_t pendingBytes{0}; ///< payload posted and not delivered in order [byte]
};

/// A message that is posted, or whose last frame has arrived at the receiver.
struct MessageRecord
{
    uint32_t queuePair{0};
    uint64_t message{0}; ///< running number within the queue pair
    uint32_t job{NO_ID};
    uint32_t sourceNic{0};      ///< port id of the NIC that sends the data
    uint32_t destinationNic{0}; ///< port id of the NIC that receives it
    uint64_t bytes{0};          ///< [byte]
    int64_t timePs{0};          ///< [ps]
};

/// An action or observation of a queue pair's congestion control. Each trace source sets the fields
/// that it is for.
struct CongestionRecord
{
    uint32_t queuePair{0};
    uint32_t nic{0};   ///< port id of the NIC that sends the data
    int64_t timePs{0}; ///< [ps]
    double rateBps{0}; ///< "Rate", "Cnp": pacing rate, after the event [bit/s]
    uint64_t windowBytes{
        0};            ///< "Rate", "Cnp": payload that may be in flight [byte]; largest: unlimited
    int64_t rttPs{-1}; ///< "Rtt": from a frame's start to its acknowledgement [ps]
};

/// Counters of the transport, for conservation checks and figures.
struct RdmaTotals
{
    uint64_t postedMessages{0};
    uint64_t completedMessages{0};
    uint64_t postedBytes{0};        ///< payload [byte]
    uint64_t deliveredBytes{0};     ///< payload delivered in order, each byte once [byte]
    uint64_t completedBytes{0};     ///< payload acknowledged [byte]
    uint64_t undeliveredBytes{0};   ///< payload undelivered when queue pairs were destroyed [byte]
    uint64_t unackedBytes{0};       ///< payload left unacknowledged in destroyed queue pairs [byte]
    uint64_t sentBytes{0};          ///< payload put on the wire, retransmissions included [byte]
    uint64_t retransmittedBytes{0}; ///< of these, sent before [byte]
    uint64_t duplicateFrames{0};    ///< received although already delivered (spurious)
    uint64_t discardedFrames{0};    ///< received behind a gap, or on a failed queue pair
    uint64_t outOfOrderFrames{0};   ///< received behind a gap and kept (selective repeat)
    uint64_t acks{0};
    uint64_t naks{0};
    uint64_t cnps{0};
    uint64_t timeouts{0};
    uint64_t failures{0};
    uint64_t reorderings{0};   ///< queue pairs whose frames have been reordered
    uint64_t readRequests{0};  ///< sent, repetitions included
    uint64_t controlFrames{0}; ///< ACK, NAK and CNP received
};

/// Counters of one job.
struct JobRdmaCounters
{
    uint64_t markedFrames{0};       ///< data frames that arrived with CE
    uint64_t retransmittedBytes{0}; ///< payload sent again [byte]
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_RECORDS_H
