/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PFC_H
#define GPU_FABRIC_PFC_H

#include "fabric-settings.h"
#include "job-link-accounts.h"
#include "network-state.h"
#include "pfc-watchdog.h"

namespace ns3
{

/// Notified when a priority of a switch's port becomes paused.
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
 * A pause lasts for its quanta and expires by itself; its sender repeats it as long as needed. A
 * frame in transmission is completed. PFC frames bypass the queues.
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
    /// Currently paused priorities of a port (bit p). For a split fabric, only for a host's port.
    uint32_t GetPaused(int64_t now, uint32_t portId);
    void ExpirePauses(int64_t now, uint32_t portId, FabricPort& port);
    void EndPause(int64_t end, uint32_t portId, FabricPort& port, uint32_t priority);
    /// Ends pauses still in force, so that they are recorded. Call once, at the end of the run.
    void FinishPauses(int64_t now);
    /// @}

    /// \name Sending: the peer of a port is paused
    /// @{
    /// Pauses a priority of an ingress port, for whose frames the switch has no more room.
    void Pause(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority, uint32_t outId);
    void TryResume(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority);
    /// Makes a port pause a priority of its peer, with refreshes until SendXon().
    void SendXoff(int64_t now, uint32_t portId, uint32_t priority, uint32_t cause);
    void SendXon(int64_t now, uint32_t portId, uint32_t priority);
    /// Sends the pending pause states of a port.
    void Send(int64_t now, uint32_t portId, FabricPort& port);
    void Refresh(int64_t now, uint32_t portId);
    /// @}

    /// How long a pause frame lasts at a port [ps].
    int64_t GetPauseTime(uint32_t portId) const;

  private:
    /// How long after a pause frame the next one is due [ps].
    int64_t GetRefreshPeriod(uint32_t portId) const;
    /// Removes the priorities from a PFC frame that the watchdog has taken over.
    uint32_t IgnorePauses(int64_t now, uint32_t portId, const Frame& frame);

    NetworkState& m_net;
    JobLinkAccounts& m_accounts;
    PauseListener* m_listener{nullptr};
    PfcWatchdog m_watchdog;
    const FabricSettings& m_settings;
};

} // namespace ns3

#endif // GPU_FABRIC_PFC_H
