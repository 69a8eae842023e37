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
 * Converts an MSCCL program to a schedule in canonical order (CollectiveSchedule::GetCanonical()).
 *
 * Thread blocks run their steps in order, and a step waits for the one that it names. The k-th send
 * from one GPU to another on a channel matches the k-th receive there. A sending step has ended
 * once the message is posted, because MSCCL then has it in a buffer of its own. A single pass is
 * made over the whole buffer with undivided chunks; MSCCL loops over slices of large chunks and
 * overlaps the passes. A step that is neither a message, a copy nor a reduction in a schedule is
 * expressed by several of these: "rrs" adds in its own scratch chunk instead of in registers; "rrc"
 * and "rrcs" whose source is not their destination first copy the source there; "ra" (the sum of
 * data that are not part of the collective) copies its chunk onto itself.
 */
class MscclImporter
{
  public:
    /**
     * \param program as checked by MscclReader; must outlive this object
     * \param diagnostics receives all errors, with positions; must outlive this object
     */
    MscclImporter(const MscclProgram& program, Diagnostics& diagnostics);

    /// The schedule, proved. \param wireOverhead include the flags of LL and LL128 in the bytes
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
        uint32_t scratch{0};         ///< scratch chunk of "rrs"
        uint8_t state{0};            ///< of the search for ended steps: OPEN, SEARCHED, DONE
        std::vector<uint32_t> ended; ///< transfers that have happened once the step has ended
    };

    /// What a transfer waits for, before its position in the list is known.
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
    /// Creates the transfers of all steps, without their waits.
    void MakeTransfers();
    void MakeMessage(const StepId& sender, const StepId& receiver);
    bool MakeWaits();
    /// Collects what must have happened before a step starts. \returns false if the step waits for
    /// itself
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
