/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_FABRIC_SPLIT_H
#define GPU_FABRIC_FABRIC_SPLIT_H

#include "fabric.h"

#include "ns3/lane-horizon.h"
#include "ns3/window-worker.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class FabricSimulatorImpl;

/**
 * Runs the switches of a fabric in threads of their own, beside the simulator, which has the hosts:
 * the same events in the same order at each node, so that all results are the same.
 *
 * Each part is a Fabric of its own with the ports of its nodes and an event lane. A frame on a
 * wire from one part to another is copied there when a window ends. With L the smallest delay of
 * such a wire, what happens in a part reaches another one no earlier than L later, so that both
 * may run for a while without each other (conservative windows, LaneHorizon). The windows are half
 * as long, and the hosts half a window's length L/2 ahead of the switches:
 *
 *     switches  [S, S + L/2)              they need what hosts send before S + L/2 - L
 *     hosts     [S + L/2, S + L)          they need what switches send before S
 *
 * so that nothing that a host does, such as the end of a job that ends the run, comes too late for
 * a switch: where somebody reads the state of a switch, CatchUp() first brings it to the event that
 * is running, exactly.
 *
 * A window with little work for a part is run by the simulator's own thread.
 */
class FabricSplit : public LaneHorizon, private FabricParts
{
  public:
    /**
     * Splits a fabric that has been built and has not run.
     * \param parts of each node of the topology's network; hosts are in part 0
     */
    FabricSplit(Ptr<Fabric> fabric, const std::vector<uint32_t>& parts);
    ~FabricSplit() override;
    FabricSplit(const FabricSplit&) = delete;
    FabricSplit& operator=(const FabricSplit&) = delete;

    /// Why a fabric cannot be split so; "": it can.
    static std::string FindFault(const Fabric& fabric, const std::vector<uint32_t>& parts);

    int64_t Extend(int64_t ordinary) override;
    void CatchUp() override;
    bool IsIdle() const override;
    int64_t GetLastTime() const override;

    /// Smallest delay of a wire between parts [ps].
    int64_t GetLookahead() const
    {
        return m_lookahead;
    }

    /// Windows run so far that had work for another part.
    uint64_t GetWindows() const
    {
        return m_windows;
    }

    /// Of these, times the parts, those that another thread has run.
    uint64_t GetThreadedWindows() const
    {
        return m_threadedWindows;
    }

  private:
    /// A part that is not the simulator's.
    struct Part
    {
        Ptr<Fabric> fabric;
        Ptr<EventLane> lane;
        EventLane::Position target{0, 0}; ///< to run to
        int64_t firstTime{0};             ///< of what is pending [ps]
        uint64_t lastEvents{0};           ///< in the last window
        bool started{false};
        std::vector<PauseRecord> pauses;       ///< that it has told of
        std::vector<FabricEventRecord> events; ///< the same
        std::unique_ptr<WindowWorker> worker;

        void Run();
        void OnPause(const PauseRecord& record);
        void OnEvent(const FabricEventRecord& record);
    };

    FabricState& GetOwner(uint32_t portId) const override;
    const std::vector<FabricState*>& GetParts() const override;

    void AddPart();
    /// Waits for the threads and hands on what the parts have for each other.
    void Meet();
    void HandOver(Fabric& from);
    void TellRecords(Part& part);
    void CountEvents();
    int64_t GetFirstTimeOfParts() const;
    /// Has parts run to a time [ps], where they have work before it.
    void StartParts(int64_t target);

    Ptr<Fabric> m_fabric;
    Ptr<FabricSimulatorImpl> m_impl;
    Ptr<EventLane> m_lane;
    std::vector<std::unique_ptr<Part>> m_others;
    std::vector<FabricState*> m_parts;  ///< all, that of the simulator first
    std::vector<uint32_t> m_partOfPort; ///< by port
    int64_t m_lookahead{0};             ///< [ps]
    int64_t m_done{0};                  ///< the other parts have run what is before [ps]
    int64_t m_horizon{0};               ///< of the simulator [ps]
    bool m_meeting{false};
    uint64_t m_windows{0};
    uint64_t m_threadedWindows{0};
};

} // namespace ns3

#endif // GPU_FABRIC_FABRIC_SPLIT_H
