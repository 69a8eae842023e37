/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NIC_TRACE_ACCESSOR_H
#define GPU_FABRIC_NIC_TRACE_ACCESSOR_H

#include "ns3/roce-nic.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

/**
 * The accessor of a trace source of a NIC. The transport tells of the queue pairs of all NICs; a
 * NIC listens to it from when somebody listens to the NIC, so that nobody else pays for it.
 */
template <class Record>
class NicTraceAccessor : public TraceSourceAccessor
{
  public:
    using Source = TracedCallback<const Record&> RoceNic::*;
    using Follow = void (RoceNic::*)();

    NicTraceAccessor(Source source, Follow follow)
        : m_source(source),
          m_follow(follow)
    {
    }

    bool ConnectWithoutContext(ObjectBase* object, const CallbackBase& callback) const override
    {
        return Do(object, [&](auto& source) { source.ConnectWithoutContext(callback); });
    }

    bool Connect(ObjectBase* object,
                 std::string context,
                 const CallbackBase& callback) const override
    {
        return Do(object, [&](auto& source) { source.Connect(callback, context); });
    }

    bool DisconnectWithoutContext(ObjectBase* object, const CallbackBase& callback) const override
    {
        return Do(object, [&](auto& source) { source.DisconnectWithoutContext(callback); });
    }

    bool Disconnect(ObjectBase* object,
                    std::string context,
                    const CallbackBase& callback) const override
    {
        return Do(object, [&](auto& source) { source.Disconnect(callback, context); });
    }

  private:
    /// Does something with the source of a NIC. \returns whether the object is one
    template <class F>
    bool Do(ObjectBase* object, F action) const
    {
        auto* nic = dynamic_cast<RoceNic*>(object);
        if (!nic)
        {
            return false;
        }
        action(nic->*m_source);
        (nic->*m_follow)();
        return true;
    }

    Source m_source;
    Follow m_follow;
};

} // namespace ns3

#endif // GPU_FABRIC_NIC_TRACE_ACCESSOR_H
