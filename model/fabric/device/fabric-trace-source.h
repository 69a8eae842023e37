/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_TRACE_SOURCE_H
#define GPU_FABRIC_FABRIC_TRACE_SOURCE_H

#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

/// Notified when sinks connect to trace sources or disconnect, so that it takes no trouble in vain.
class FabricTraceOwner
{
  public:
    /// A sink was connected or disconnected.
    virtual void TracesChanged() = 0;

  protected:
    ~FabricTraceOwner() = default;
};

/// A trace source that notifies its owner when sinks connect or disconnect. It can be used with
/// MakeTraceSourceAccessor like a TracedCallback.
template <typename... Ts>
class FabricTraceSource
{
  public:
    /// \param owner must outlive the trace source
    explicit FabricTraceSource(FabricTraceOwner& owner)
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

    void operator()(Ts... values) const
    {
        m_callbacks(values...);
    }

  private:
    FabricTraceOwner& m_owner;
    TracedCallback<Ts...> m_callbacks;
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_TRACE_SOURCE_H
