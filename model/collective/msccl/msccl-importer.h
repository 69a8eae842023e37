/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MSCCL_IMPORTER_H
#define GPU_FABRIC_MSCCL_IMPORTER_H

#include "msccl-program.h"

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * Makes a schedule of an MSCCL program, in canonical order (CollectiveSchedule::GetCanonical()).
 *
 * Thread blocks run their steps in order and a step waits for the one it names. The k-th send from
 * one GPU to another on a channel meets the k-th receive there. A step that sends has ended when
 * the message is posted: MSCCL then has it in a buffer of its own. One pass is made over the whole
 * buffer, its chunks undivided; MSCCL loops over slices of large ones and overlaps the passes.
 * What is neither a message, a copy nor a reduction in a schedule becomes a few of these: "rrs"
 * adds in a scratch chunk of its own instead of in registers, "rrc" and "rrcs" whose source is not
 * their destination copy it there first, "ra" (the sum of data that are no part of the collective)
 * is a copy of its chunk onto itself.
 */
class MscclImporter
{
  public:
    /**
     * \param program as MscclReader checked it; must outlive this
     * \param diagnostics takes all that is wrong, with positions; must outlive this
     */
    MscclImporter(const MscclProgram& program, Diagnostics& diagnostics);

    /// The schedule, proved. \param wireOverhead count the flags of LL and LL128 among the bytes
    std::optional<CollectiveSchedule> Import(bool wireOverhead);

  private:
    /// GPU, thread block, step.
    struct StepId
    {
        uint32_t gpu{0};
        uint32_t block{0};
        uint32_t step{0};
    };

    /// The transfers of a step.
    struct StepTransfers
    {
        int64_t local{-1};
        int64_t received{-1};
        int64_t sent{-1};
        uint32_t scratch{0};         ///< chunk of "rrs"
        uint8_t state{0};            ///< of the search for what has ended: OPEN, SEARCHED, DONE
        std::vector<uint32_t> ended; ///< transfers that have happened when the step has ended
    };

    /// What a transfer waits for, before it is known where in the list.
    struct Waits
    {
        std::vector<uint32_t> dependencies;
        std::vector<uint32_t> gates;
    };

    /// Source, destination, channel.
    using Stream = std::tuple<uint32_t, uint32_t, uint32_t>;

    static constexpr uint8_t OPEN = 0;
    static constexpr uint8_t SEARCHED = 1;
    static constexpr uint8_t DONE = 2;

    const MscclStep& GetStep(const StepId& id) const
    {
        return m_program.gpus[id.gpu].blocks[id.block].steps[id.step];
    }

    StepTransfers& GetTransfers(const StepId& id)
    {
        return m_steps[id.gpu][id.block][id.step];
    }

    bool CheckBlocks();
    bool CheckWait(const StepId& id);
    bool MatchMessages();
    void GiveScratch();
    /// Makes the transfers of all steps, without what they wait for.
    void MakeTransfers();
    void MakeMessage(const StepId& sender, const StepId& receiver);
    bool MakeWaits();
    /// What must have happened before a step starts. \returns false: the step waits for itself
    bool CollectStart(const StepId& id, std::vector<uint32_t>& start);
    const std::vector<uint32_t>* FindEnded(const StepId& id);
    bool CopiesFirst(const StepId& id) const;
    uint32_t AddTransfer(const ChunkTransfer& transfer);
    void FillDependencies();
    void Error(const SourceMark& mark, const std::string& what);
    template <class Function>
    void ForEachStep(Function function);

    const MscclProgram& m_program;
    Diagnostics& m_diagnostics;
    CollectiveSchedule m_schedule;
    std::vector<std::vector<std::vector<StepTransfers>>> m_steps;
    std::map<Stream, std::vector<StepId>> m_sends;
    std::map<Stream, std::vector<StepId>> m_receives;
    std::vector<Waits> m_waits; ///< by transfer
    bool m_good{true};
};

} // namespace ns3

#endif // GPU_FABRIC_MSCCL_IMPORTER_H
