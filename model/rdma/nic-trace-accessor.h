/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_NIC_TRACE_ACCESSOR_H
#define GPU_FABRIC_NIC_TRACE_ACCESSOR_H

#include "ns3/rdma-records.h"
#include "ns3/roce-nic.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/traced-callback.h"

#include <string>

namespace ns3
{

/// The trace sources of a NIC.
struct NicTraces
{
    TracedCallback<const MessageRecord&> posted;
    TracedCallback<const MessageRecord&> delivered;
    TracedCallback<const TransferRecord&> transfer;
    TracedCallback<const CongestionRecord&> cnp;
    TracedCallback<const CongestionRecord&> rate;
    TracedCallback<const CongestionRecord&> rtt;
    uint32_t followed{0}; ///< bit i: the i-th source is connected to the transport's
};

/**
 * The accessor of a trace source of a NIC. The transport traces the queue pairs of all NICs; a NIC
 * connects to it only once something is connected to the NIC, so that others pay nothing.
 */
template <class Record>
class NicTraceAccessor : public TraceSourceAccessor
{
  public:
    using Source = TracedCallback<const Record&> NicTraces::*;
    using Traces = NicTraces& (RoceNic::*)();
    using Follow = void (RoceNic::*)();

    NicTraceAccessor(Source source, Traces traces, Follow follow)
        : m_source(source),
          m_traces(traces),
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
    /// Applies an action to the trace source of a NIC. \returns whether the object is a NIC
    template <class F>
    bool Do(ObjectBase* object, F action) const
    {
        auto* nic = dynamic_cast<RoceNic*>(object);
        if (!nic)
        {
            return false;
        }
        action((nic->*m_traces)().*m_source);
        (nic->*m_follow)();
        return true;
    }

    Source m_source;
    Traces m_traces;
    Follow m_follow;
};

} // namespace ns3

#endif // GPU_FABRIC_NIC_TRACE_ACCESSOR_H
