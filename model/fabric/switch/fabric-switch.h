/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_SWITCH_H
#define GPU_FABRIC_FABRIC_SWITCH_H

#include "ns3/buffer-manager.h"
#include "ns3/ecn-marker.h"
#include "ns3/enum-names.h"
#include "ns3/fabric-trace-source.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/path-selector.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/// What becomes of the frames of a queue that the PFC watchdog has taken over.
enum class WatchdogAction : uint8_t
{
    DROP,
    FORWARD ///< in spite of the pause
};

template <>
struct EnumNames<WatchdogAction>
{
    static constexpr EnumName<WatchdogAction> TABLE[] = {{WatchdogAction::DROP, "drop"},
                                                         {WatchdogAction::FORWARD, "forward"}};
};

/// A switch as configured by users; aggregated to its node. The fabric reads it when it is built
/// and keeps the hot state itself.
class FabricSwitch : public Object, private FabricTraceOwner
{
  public:
    static TypeId GetTypeId();
    FabricSwitch();

    /// Creates the policies that the attributes name. Called once by the fabric.
    void MakePolicies();

    /// Sets how frames are marked where no attribute says it. Call before the fabric is built.
    void SetEcnProfile(const EcnProfile& profile)
    {
        m_profile = profile;
    }

    Ptr<BufferManager> GetBufferManager() const
    {
        return m_buffer;
    }

    Ptr<EcnMarker> GetEcnMarker() const
    {
        return m_marker;
    }

    Ptr<PathSelector> GetPathSelector() const
    {
        return m_selector;
    }

    /**
     * Packet memory [byte]: BufferSize, or if that is 0 the automatic size, at least that of the
     * smallest published switch with these rates and this number of ports.
     * \param rateBps sum of the port rates [bit/s]
     * \param ports number of ports
     */
    uint64_t GetBufferSize(uint64_t rateBps, uint32_t ports) const;

    /// Whether the size of the buffer follows from rates and ports.
    bool IsBufferAutomatic() const
    {
        return m_bufferSize == 0;
    }

    uint32_t GetLosslessMask() const
    {
        return m_pfc ? m_losslessMask : 0;
    }

    /// How long a queue must be paused before the PFC watchdog acts [ps]; 0: never.
    int64_t GetWatchdogDetection() const
    {
        return m_watchdogDetection.GetTimeStep();
    }

    /// How long a queue must be unpaused before the PFC watchdog releases it [ps].
    int64_t GetWatchdogRestoration() const
    {
        return m_watchdogRestoration.GetTimeStep();
    }

    /// Whether the PFC watchdog drops the frames of a queue; otherwise it forwards them.
    bool IsWatchdogDropping() const
    {
        return m_watchdogAction == WatchdogAction::DROP;
    }

    bool IsMarkingAtDequeue() const
    {
        return m_markAtDequeue;
    }

    /// Time from the arrival of a frame until it is in its egress queue [ps].
    int64_t GetSwitchDelay() const
    {
        return m_switchDelay.GetTimeStep();
    }

    /// Sets what starts and stops the notifications of NotifyBufferBytes(), which the fabric does
    /// not make in vain; called at once if they are wanted already. null: nothing.
    void SetBufferTracing(std::function<void(bool traced)> tracing);

    /// The bytes in the buffer have changed [byte].
    void NotifyBufferBytes(uint64_t before, uint64_t after) const
    {
        m_bufferBytesTrace(before, after);
    }

  protected:
    void DoDispose() override;

  private:
    void TracesChanged() override;

    TypeId m_bufferType;
    TypeId m_markerType;
    TypeId m_selectorType;
    uint64_t m_bufferSize;
    uint32_t m_losslessMask;
    bool m_pfc;
    bool m_markAtDequeue;
    Time m_watchdogDetection;
    Time m_watchdogRestoration;
    WatchdogAction m_watchdogAction;
    Time m_switchDelay;
    EcnProfile m_profile;
    Ptr<BufferManager> m_buffer;
    Ptr<EcnMarker> m_marker;
    Ptr<PathSelector> m_selector;
    std::function<void(bool)> m_tracing;
    FabricTraceSource<uint64_t, uint64_t> m_bufferBytesTrace{*this};
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_SWITCH_H
