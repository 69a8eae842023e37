/* SPDX-License-Identifier: GPL-2.0-only */
#include "conservation-check.h"

#include "../../model/rdma/queue-pair.h"

#include <numeric>

namespace ns3
{

ConservationCheck::ConservationCheck(Fabric& fabric,
                                     const RoceTransport& transport,
                                     Ptr<const HostInterconnect> interconnect,
                                     int64_t endPs)
    : m_fabric(fabric),
      m_transport(transport),
      m_interconnect(interconnect),
      m_endPs(endPs)
{
}

void
ConservationCheck::Write(ResultDatabase& database, uint32_t run) const
{
    const auto write = [&](const char* name, uint64_t expected, uint64_t actual) {
        database.InsertInvariant(run,
                                 name,
                                 static_cast<int64_t>(expected),
                                 static_cast<int64_t>(actual));
    };
    const FabricTotals fabric = m_fabric.GetTotals();
    const RdmaTotals& rdma = m_transport.GetTotals();
    const FabricAudit audit = m_fabric.GetAudit(m_endPs);

    // Every frame handed to a NIC is delivered, dropped, or in a queue or on a wire.
    write("frames", fabric.sent, fabric.delivered + fabric.dropped + audit.frames);
    // Every frame taken from the pool is in a queue or on a wire, or was given back.
    write("frames_in_pool", audit.framesInUse, audit.frames + audit.pfcFrames);
    // Every transition to paused has been taken back, or the pause is still in force.
    write("pfc_xoff", fabric.xoff, fabric.xon + audit.paused);
    // A lossless fabric drops nothing of a lossless class.
    write("lossless_drops", 0, fabric.losslessDrops);

    const uint64_t counted =
        std::accumulate(audit.bufferUsed.begin(), audit.bufferUsed.end(), uint64_t{0});
    const uint64_t held =
        std::accumulate(audit.bufferHeld.begin(), audit.bufferHeld.end(), uint64_t{0});
    // What the shared buffers count equals what the switches hold.
    write("buffer_bytes", held, counted);

    // Of queue pairs that failed and no longer exist.
    uint64_t undelivered = rdma.undeliveredBytes;
    uint64_t unacknowledged = rdma.unackedBytes;
    for (uint32_t id = 0; id < m_transport.GetQueuePairCount(); ++id)
    {
        if (const QueuePair* queuePair = m_transport.GetQueuePair(id))
        {
            undelivered += queuePair->GetUndeliveredBytes();
            unacknowledged += queuePair->GetUnacknowledgedBytes();
        }
    }
    // Every byte posted arrives once and in order, or is still to arrive.
    write("payload_delivered", rdma.postedBytes, rdma.deliveredBytes + undelivered);
    if (m_interconnect)
    {
        // Every byte posted inside a host arrives once and in order, or is still to arrive.
        const HostTotals& inside = m_interconnect->GetTotals();
        write("inside_delivered",
              inside.postedBytes,
              inside.arrivedBytes + inside.abandonedBytes + m_interconnect->GetBytesUnderWay());
    }
    // Every message is acknowledged, or still outstanding.
    write("payload_acknowledged", rdma.postedBytes, rdma.completedBytes + unacknowledged);
}

} // namespace ns3
