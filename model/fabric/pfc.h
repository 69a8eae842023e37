/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PFC_H
#define GPU_FABRIC_PFC_H

#include "fabric-settings.h"
#include "job-link-accounts.h"
#include "network-state.h"
#include "pfc-watchdog.h"

namespace ns3
{

/// Told when a priority of a switch's port is paused that was not.
class PauseListener
{
  public:
    virtual ~PauseListener() = default;
    /// \param now [ps]
    virtual void PauseBegan(int64_t now, uint32_t portId) = 0;
};

/**
 * Priority flow control (IEEE 802.1Qbb).
 *
 * A pause holds for its quanta and expires by itself; who sent it repeats it while it needs it. A
 * frame in transmission finishes. PFC frames bypass the queues.
 */
class Pfc
{
  public:
    /// \param net and \param accounts outlive it
    Pfc(NetworkState& net, JobLinkAccounts& accounts, const FabricSettings& settings);

    void SetListener(PauseListener* listener)
    {
        m_listener = listener;
    }

    /// The queues that the PFC watchdog has taken over.
    PfcWatchdog& GetWatchdog()
    {
        return m_watchdog;
    }

    /// \name Receiving: pauses in force at a port
    /// @{
    void Receive(int64_t now, uint32_t portId, uint32_t frame);
    /// Priorities of a port that are paused now (bit p). Of a split fabric, of a host's port.
    uint32_t GetPaused(int64_t now, uint32_t portId);
    void ExpirePauses(int64_t now, uint32_t portId, FabricPort& port);
    void EndPause(int64_t end, uint32_t portId, FabricPort& port, uint32_t priority);
    /// Ends pauses still in force, so that they are reported. Call once, at the end of the run.
    void FinishPauses(int64_t now);
    /// @}

    /// \name Sending: the peer of a port is paused
    /// @{
    /// A switch has no room for more that comes in by a port.
    void Pause(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority, uint32_t outId);
    void TryResume(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority);
    /// Has a port tell its peer to pause a priority, again and again until SendXon().
    void SendXoff(int64_t now, uint32_t portId, uint32_t priority, uint32_t cause);
    void SendXon(int64_t now, uint32_t portId, uint32_t priority);
    /// Sends what a port has to tell its peer.
    void Send(int64_t now, uint32_t portId, FabricPort& port);
    void Refresh(int64_t now, uint32_t portId);
    /// @}

    /// How long a pause frame holds at a port [ps].
    int64_t GetPauseTime(uint32_t portId) const;

  private:
    /// How long after a pause frame the next one is due [ps].
    int64_t GetRefreshPeriod(uint32_t portId) const;
    /// Takes away the priorities of a PFC frame which the watchdog has taken over.
    uint32_t IgnorePauses(int64_t now, uint32_t portId, const Frame& frame);

    NetworkState& m_net;
    JobLinkAccounts& m_accounts;
    PauseListener* m_listener{nullptr};
    PfcWatchdog m_watchdog;
    const FabricSettings& m_settings;
};

} // namespace ns3

#endif // GPU_FABRIC_PFC_H
