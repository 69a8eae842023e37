/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_PACKET_TRACE_H
#define GPU_FABRIC_FABRIC_PACKET_TRACE_H

#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

/// A trace source of packets that notifies its owner when sinks connect or disconnect, so that no
/// packet is built in vain. It can be used with MakeTraceSourceAccessor like a TracedCallback.
class FabricPacketTrace
{
  public:
    /// The builder of the packets.
    class Owner
    {
      public:
        /// A sink was connected or disconnected.
        virtual void TracesChanged() = 0;

      protected:
        ~Owner() = default;
    };

    /// \param owner must outlive the trace source
    explicit FabricPacketTrace(Owner& owner)
        : m_owner(owner)
    {
    }

    void ConnectWithoutContext(const CallbackBase& callback)
    {
        m_callbacks.ConnectWithoutContext(callback);
        m_owner.TracesChanged();
    }

    void Connect(const CallbackBase& callback, const std::string& path)
    {
        m_callbacks.Connect(callback, path);
        m_owner.TracesChanged();
    }

    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        m_callbacks.DisconnectWithoutContext(callback);
        m_owner.TracesChanged();
    }

    void Disconnect(const CallbackBase& callback, const std::string& path)
    {
        m_callbacks.Disconnect(callback, path);
        m_owner.TracesChanged();
    }

    bool IsEmpty() const
    {
        return m_callbacks.IsEmpty();
    }

    void operator()(Ptr<const Packet> packet) const
    {
        m_callbacks(packet);
    }

  private:
    Owner& m_owner;
    TracedCallback<Ptr<const Packet>> m_callbacks;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_PACKET_TRACE_H
