/* SPDX-License-Identifier: GPL-2.0-only */
#include "network-state.h"

#include "ns3/abort.h"

namespace ns3
{

void
NetworkState::ArmWake(int64_t at, uint32_t portId, FabricPort& port)
{
    if (!port.wakeArmed)
    {
        if (port.unreleased)
        {
            --switches[port.switchIndex].lazy;
        }
        lane->Schedule(at, KeyOf(portId, WAKE));
    }
    else if (at < port.wakeAt)
    {
        lane->Reschedule(at, KeyOf(portId, WAKE));
    }
    else
    {
        return;
    }
    port.wakeArmed = 1;
    port.wakeAt = at;
}

// --- observers ---

void
NetworkState::SetObserver(uint32_t portId, FabricObserver* observer)
{
    if (portId >= observers.size())
    {
        if (observer == nullptr)
        {
            return;
        }
        observers.resize(portId + 1, nullptr);
    }
    observers[portId] = observer;
    NS_ABORT_MSG_IF(observer && others, FindObserved());
    MarkObserved(portId);
    MarkObserved(portId ^ 1);
}

void
NetworkState::SetBufferTraced(uint32_t switchIndex, bool traced)
{
    bufferTraces.SetTraced(*this, switchIndex, traced);
    NS_ABORT_MSG_IF(traced && others, FindObserved());
    for (uint32_t id : switches[switchIndex].ports)
    {
        MarkObserved(id);
    }
}

std::string
NetworkState::FindObserved() const
{
    const char* advice = " is traced, which one thread can do only: do not split the network";
    for (uint32_t id = 0; id < observers.size(); ++id)
    {
        if (observers[id] != nullptr)
        {
            return "port " + topology->GetPortName(id) + advice;
        }
    }
    for (uint32_t i = 0; i < switches.size(); ++i)
    {
        if (bufferTraces.IsTraced(i))
        {
            const uint32_t node = switches[i].ports.empty() ? 0 : ports[switches[i].ports[0]].node;
            return "the buffer of " + topology->GetNodes()[node].name + advice;
        }
    }
    return "";
}

void
NetworkState::MarkObserved(uint32_t portId)
{
    const auto hasObserver = [this](uint32_t id) {
        return id < observers.size() && observers[id] != nullptr;
    };
    if (portId < ports.size())
    {
        FabricPort& port = ports[portId];
        const bool observed = hasObserver(portId) || hasObserver(portId ^ 1) ||
                              bufferTraces.IsTraced(port.switchIndex);
        port.impaired &= ~PORT_OBSERVED;
        port.impaired |= observed ? PORT_OBSERVED : 0;
    }
}

void
NetworkState::NotifyObserver(FrameEvent event, uint32_t portId, uint32_t index)
{
    if (portId < observers.size() && observers[portId] != nullptr)
    {
        const Frame copy = frames[index];
        NotifyLevels(portId);
        if (observers[portId] != nullptr)
        {
            observers[portId]->ObserveFrame(event, copy);
        }
        return;
    }
    NotifyLevels(portId);
}

void
NetworkState::NotifyLevels(uint32_t portId)
{
    if (!bufferTraces.IsEmpty())
    {
        bufferTraces.Update(*this, ports[portId].switchIndex);
    }
    if (portId < observers.size() && observers[portId] != nullptr)
    {
        observers[portId]->ObserveQueues();
    }
}

void
NetworkState::NotifyPause(const PauseChangeRecord& record)
{
    if (record.link < observers.size() && observers[record.link] != nullptr)
    {
        observers[record.link]->ObservePause(record);
    }
}

void
NetworkState::SendAway(uint32_t portId, const FabricPort& port, uint32_t index)
{
    Frame& frame = frames[index];
    frame.next = portId;
    FrameBatch& batch = sent[port.crossing - 1];
    batch.frames.push_back(frame);
    if (frame.side != NO_SIDE)
    {
        batch.sides.push_back(frames.Side(index));
    }
    frames.Free(index);
    if (others)
    {
        others->FrameSent();
    }
}

void
NetworkState::ReleaseEnded(int64_t now, SwitchState& node)
{
    if (node.lazy == 0)
    {
        return;
    }
    for (uint32_t id : node.ports)
    {
        FabricPort& port = ports[id];
        if (port.unreleased && !port.wakeArmed && port.busyUntil <= now)
        {
            // Its ingress is not paused: Xoff() would have scheduled a wake-up.
            port.unreleased = 0;
            --node.lazy;
            node.buffer->Release(port.releaseIngress, port.releasePriority, port.releaseBytes);
        }
    }
}

void
NetworkState::NotifyEvent(const FabricEventRecord& record,
                          const TracedCallback<const FabricEventRecord&>& trace) const
{
    if (others)
    {
        others->NotifyInOrder(record, trace);
        return;
    }
    trace(record);
}

} // namespace ns3
