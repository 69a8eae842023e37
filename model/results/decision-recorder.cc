/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-tables.h"

#include "ns3/log.h"
#include "ns3/recorder.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DecisionRecorder");

/// Decisions of schedulers and placements, recorded in every run: the table `decision`.
class DecisionRecorder : public Recorder
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::DecisionRecorder")
                                .SetParent<Recorder>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<DecisionRecorder>();
        return tid;
    }

    std::vector<const TableSpec*> Tables() const override
    {
        return {&GetResultTable<DecisionRecord>().GetSpec()};
    }

    void Connect(const RunContext& context) override
    {
        NS_LOG_FUNCTION(this << context.run);
        m_results = context.results;
        m_run = context.run;
        context.traceJobs("Decision", MakeCallback(&DecisionRecorder::Write, this));
    }

  private:
    void Write(const DecisionRecord& record)
    {
        m_results->Insert(GetResultTable<DecisionRecord>(), m_run, record);
    }

    ResultWriter* m_results{nullptr};
    uint32_t m_run{0};
};

NS_OBJECT_ENSURE_REGISTERED(DecisionRecorder);

} // namespace ns3
