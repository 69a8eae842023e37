/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-tables.h"

#include "ns3/log.h"
#include "ns3/recorder.h"

#include <map>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveRecorder");

/// `record: [collectives]`: the table `collective`.
class CollectiveRecorder : public Recorder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::CollectiveRecorder")
                                .SetParent<Recorder>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<CollectiveRecorder>();
        return tid;
    }

    std::vector<const TableSpec*> Tables() const override
    {
        return {&GetResultTable<CollectiveRecord>().GetSpec()};
    }

    void Connect(const RunContext& context) override
    {
        NS_LOG_FUNCTION(this << context.run);
        m_results = context.results;
        m_run = context.run;
        context.traceJobs("CollectiveStart", MakeCallback(&CollectiveRecorder::Begin, this));
        context.traceJobs("Collective", MakeCallback(&CollectiveRecorder::End, this));
    }

    void Finish(int64_t /* endPs */) override
    {
        for (auto& [key, record] : m_open)
        {
            record.lastPostPs = -1;
            record.endPs = -1;
            record.busBandwidthBps = UINT64_MAX;
            Write(record);
        }
        m_open.clear();
    }

  private:
    /// Job, communicator and number of a collective.
    using Key = std::tuple<uint32_t, uint32_t, uint32_t>;

    static Key GetKey(const CollectiveRecord& record)
    {
        return {record.job, record.communicator, record.collective};
    }

    /// A job that is interrupted repeats the collectives that it had not ended, under their
    /// numbers.
    void Begin(const CollectiveRecord& record)
    {
        m_open[GetKey(record)] = record;
    }

    void End(const CollectiveRecord& record)
    {
        m_open.erase(GetKey(record));
        Write(record);
    }

    void Write(const CollectiveRecord& record)
    {
        m_results->Insert(GetResultTable<CollectiveRecord>(), m_run, record);
    }

    ResultWriter* m_results{nullptr};
    uint32_t m_run{0};
    std::map<Key, CollectiveRecord> m_open; ///< begun and not ended
};

NS_OBJECT_ENSURE_REGISTERED(CollectiveRecorder);

} // namespace ns3
