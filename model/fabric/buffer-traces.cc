/* SPDX-License-Identifier: GPL-2.0-only */
#include "buffer-traces.h"

#include "network-state.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("BufferTraces");

void
BufferTraces::SetTraced(const NetworkState& net, uint32_t switchIndex, bool traced)
{
    NS_LOG_LOGIC("buffer of switch " << switchIndex << (traced ? " traced" : " not traced"));
    if (!traced)
    {
        if (const auto place = m_levels.find(switchIndex); place != m_levels.end())
        {
            for (auto& [port, event] : place->second.transmitted)
            {
                event.Cancel();
            }
            m_levels.erase(place);
        }
        return;
    }
    const auto [place, isNew] = m_levels.emplace(switchIndex, Level());
    if (isNew)
    {
        const int64_t now = Simulator::Now().GetTimeStep();
        place->second.bytes = GetBytes(net, switchIndex, now);
        Watch(net, switchIndex, place->second, now);
    }
}

bool
BufferTraces::IsTraced(uint32_t switchIndex) const
{
    return m_levels.count(switchIndex) > 0;
}

uint64_t
BufferTraces::GetBytes(const NetworkState& net, uint32_t switchIndex, int64_t now)
{
    const SwitchState& node = net.switches[switchIndex];
    uint64_t bytes = node.buffer->GetUsedBytes();
    for (const uint32_t id : node.ports)
    {
        const FabricPort& port = net.ports[id];
        bytes -= port.unreleased && port.busyUntil <= now ? port.releaseBytes : 0;
    }
    return bytes;
}

void
BufferTraces::Watch(const NetworkState& net, uint32_t switchIndex, Level& level, int64_t now)
{
    for (const uint32_t id : net.switches[switchIndex].ports)
    {
        const FabricPort& port = net.ports[id];
        if (!port.unreleased || port.busyUntil <= now)
        {
            continue;
        }
        EventId& event = level.transmitted[id];
        if (!event.IsRunning() || static_cast<int64_t>(event.GetTs()) != port.busyUntil)
        {
            event.Cancel();
            event = Simulator::Schedule(PicoSeconds(port.busyUntil - now),
                                        [this, &net, switchIndex]() { Update(net, switchIndex); });
        }
    }
}

void
BufferTraces::Update(const NetworkState& net, uint32_t switchIndex)
{
    const auto place = m_levels.find(switchIndex);
    if (place == m_levels.end() || net.switches.empty())
    {
        return;
    }
    const int64_t now = Simulator::Now().GetTimeStep();
    Level& level = place->second;
    Watch(net, switchIndex, level, now);
    const uint64_t bytes = GetBytes(net, switchIndex, now);
    const uint64_t before = std::exchange(level.bytes, bytes);
    if (bytes != before)
    {
        // Last: a sink may disconnect.
        net.switches[switchIndex].configuration->NotifyBufferBytes(before, bytes);
    }
}

void
BufferTraces::Clear()
{
    for (auto& [index, level] : m_levels)
    {
        for (auto& [port, event] : level.transmitted)
        {
            event.Cancel();
        }
    }
    m_levels.clear();
}

} // namespace ns3
