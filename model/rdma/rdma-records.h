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

/// One RDMA message, emitted when the sender has it acknowledged.
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
    int64_t deliveredPs{0}; ///< last frame arrived at the receiver
    int64_t completedPs{0}; ///< its acknowledgement arrived at the sender
    uint64_t retransmittedBytes{0};
};

} // namespace ns3

#endif // GPU_FABRIC_RDMA_RECORDS_H
