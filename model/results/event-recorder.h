/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_EVENT_RECORDER_H
#define GPU_FABRIC_EVENT_RECORDER_H

#include "ns3/recorder.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/// `record: [events]`: the tables `pause` and `fabric_event`.
class EventRecorder : public Recorder
{
  public:
    static TypeId GetTypeId();

    std::vector<const TableSpec*> Tables() const override;
    void Connect(const RunContext& context) override;

    void OnPause(const PauseRecord& record);
    void OnEvent(const FabricEventRecord& record);

  private:
    /// Last event of a node, to number events of the same instant.
    struct LastEvent
    {
        int64_t timePs{-1};
        uint32_t events{0};
    };

    ResultWriter* m_results{nullptr};
    uint32_t m_run{0};
    std::map<uint32_t, LastEvent> m_lastEvents; ///< by node
};

} // namespace ns3

#endif // GPU_FABRIC_EVENT_RECORDER_H
