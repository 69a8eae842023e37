/* SPDX-License-Identifier: GPL-2.0-only */
#include "fabric-fault-order.h"

#include "fabric-faults.h"

#include <algorithm>

namespace ns3
{

uint64_t
FabricFaults::Obey(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    const uint32_t port = 2 * order.id;
    switch (order.kind)
    {
    case FabricFaultOrder::TAKE_DOWN:
        Prepare();
        m_lostWhileDown[order.id] = 0;
        m_reported.erase(m_reported.lower_bound({port, 0}), m_reported.lower_bound({port + 2, 0}));
        TakeDown(order.now, port);
        TakeDown(order.now, port + 1);
        break;
    case FabricFaultOrder::GIVE_BACK:
        GiveBack(order.now, port);
        GiveBack(order.now, port + 1);
        return m_lostWhileDown[order.id];
    case FabricFaultOrder::FLUSH:
        Flush(order.now, order.id);
        break;
    case FabricFaultOrder::SET_RATE:
        ChangeRate(port, order.rateBps);
        ChangeRate(port + 1, order.rateBps);
        break;
    case FabricFaultOrder::ADD_LOSS:
        m_lossDraws.resize(m_ports.size());
        m_losses.push_back({order.id, order.loss, true});
        m_ports[order.id].impaired |= PORT_LOSSY;
        // A lost pause lets the peer go on; a lost resume is told by the next.
        m_ports[order.id].faulted = 1;
        m_ports[order.id ^ 1].faulted = 1;
        break;
    case FabricFaultOrder::REMOVE_LOSS:
        EndLoss(order.id);
        break;
    case FabricFaultOrder::REROUTE:
        m_routing.Build(*m_topology, m_seed, down);
        m_reportedUnrouted.clear();
        break;
    case FabricFaultOrder::MARK_FAULTED:
        m_ports[port].faulted = 1;
        m_ports[port + 1].faulted = 1;
        break;
    }
    return 0;
}

uint64_t
FabricFaults::Order(const FabricFaultOrder& order, const std::vector<uint8_t>& down)
{
    if (!m_parts)
    {
        return Obey(order, down);
    }
    m_parts->Gather();
    const uint64_t lost = Obey(order, down);
    return lost + m_parts->Obey(order, down);
}

void
FabricFaults::ChangeRate(uint32_t portId, uint64_t rateBps)
{
    FabricPort& port = m_ports[portId];
    RateChange& change = m_rateChanges[portId];
    for (uint32_t priority = 0; priority < m_queues; ++priority)
    {
        const uint64_t sent = port.queues[priority].sentBytes;
        change.busyPs[priority] += GetWireTime(portId, sent - change.bytes[priority]);
        change.bytes[priority] = sent;
    }
    m_accounts.ChangeRate(portId, port.psPerByte);
    port.psPerByte = GetPsPerByte(rateBps > 0 ? rateBps : port.rateBps);
}

void
FabricFaults::EndLoss(uint32_t number)
{
    const uint32_t port = m_losses[number].port;
    m_losses[number].active = false;
    if (std::none_of(m_losses.begin(), m_losses.end(), [port](const Loss& loss) {
            return loss.active && loss.port == port;
        }))
    {
        m_ports[port].impaired &= ~PORT_LOSSY;
    }
}

} // namespace ns3
