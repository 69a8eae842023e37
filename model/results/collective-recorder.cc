/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-tables.h"

#include "ns3/log.h"
#include "ns3/recorder.h"

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
        context.traceJobs("Collective", MakeCallback(&CollectiveRecorder::Write, this));
    }

  private:
    void Write(const CollectiveRecord& record)
    {
        m_results->Insert(GetResultTable<CollectiveRecord>(), m_run, record);
    }

    ResultWriter* m_results{nullptr};
    uint32_t m_run{0};
};

NS_OBJECT_ENSURE_REGISTERED(CollectiveRecorder);

} // namespace ns3
