/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_PFC_H
#define GPU_FABRIC_FABRIC_PFC_H

#include "fabric-state.h"

#include "ns3/abort.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * Priority flow control (IEEE 802.1Qbb) and the release of the shared buffer, which ends pauses.
 *
 * A pause holds for its quanta and expires by itself; who sent it repeats it while it needs it. A
 * frame in transmission finishes. PFC frames bypass the queues.
 */
class FabricPfc : public FabricState
{
  public:
    static TypeId GetTypeId();

    /// Priorities of a port that are paused now (bit p). Of a split fabric, of a host's port.
    uint32_t GetPaused(int64_t now, uint32_t portId)
    {
        NS_ABORT_MSG_IF(!IsHere(portId),
                        "of the pauses of a split fabric's switches nothing is told");
        FabricPort& port = m_ports[portId];
        if (port.paused)
        {
            ExpirePauses(now, portId, port);
        }
        return port.paused;
    }

    /// How long a pause frame holds [512 bit times].
    uint32_t GetPauseQuanta() const
    {
        return m_pauseQuanta;
    }

    /// Tells those who listen of a pause of another part.
    void TellPause(const PauseRecord& record)
    {
        m_pauseTrace(record);
    }

    /// Walks through all that there is, ended transmissions released. Of a split fabric through all
    /// its parts, at the event that is running. \param now [ps]
    FabricAudit GetAudit(int64_t now);
    /// The same of this part alone; added.
    void Audit(int64_t now, FabricAudit& sum);

    /// Bytes still counted in the buffer of a switch [byte], ended transmissions released.
    uint64_t GetBufferUsed(int64_t now, uint32_t switchIndex)
    {
        return GetAudit(now).bufferUsed[switchIndex];
    }

    /// Ends pauses still in force, so that they are reported. Call once, at the end of the run.
    void FinishPauses(int64_t now);

    typedef void (*PauseCallback)(const PauseRecord& record);

  protected:
    void ReleaseSent(int64_t now, FabricPort& port);
    /// Releases a transmission that has ended with nothing waiting, if there is one.
    void ReleaseLazy(int64_t now, FabricPort& port);
    /// Releases all ended transmissions of a switch.
    void Sweep(int64_t now, SwitchState& node);
    void Xoff(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority, uint32_t outId);
    void SendPfc(int64_t now, uint32_t portId, FabricPort& port);
    void ReceivePfc(int64_t now, uint32_t portId, uint32_t frame);
    void Refresh(int64_t now, uint32_t portId);
    void ExpirePauses(int64_t now, uint32_t portId, FabricPort& port);
    /// Has a port tell its peer to pause a priority, again and again until SendXon().
    void SendXoff(int64_t now, uint32_t portId, uint32_t priority, uint32_t cause);
    void SendXon(int64_t now, uint32_t portId, uint32_t priority);
    void TryResume(int64_t now, SwitchState& node, uint32_t inId, uint32_t priority);
    void EndPause(int64_t end, uint32_t portId, FabricPort& port, uint32_t priority);
    int64_t GetPauseTime(uint32_t portId) const;
    /// How long after a pause frame the next one is due [ps].
    int64_t GetRefreshPeriod(uint32_t portId) const;
    /// A priority of a switch's port was paused that was not.
    virtual void PauseBegan(int64_t now, uint32_t portId, uint32_t priority) = 0;
    /// Takes away the priorities of a PFC frame that a port with PORT_WATCHDOG does not obey.
    virtual uint32_t IgnorePauses(int64_t now, uint32_t portId, const Frame& frame) = 0;

  private:
    double m_refreshFraction;
    TracedCallback<const PauseRecord&> m_pauseTrace;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_PFC_H
