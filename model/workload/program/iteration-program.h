/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ITERATION_PROGRAM_H
#define GPU_FABRIC_ITERATION_PROGRAM_H

#include "ns3/collective-schedule.h"
#include "ns3/job-spec.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The collective of a step; nothing of a compute step.
std::optional<CollectiveOperation> FindOperation(ProgramStepKind kind);

/// A step that must have ended before another starts.
struct StepDependency
{
    uint32_t step{0};
    bool carry{false}; ///< the step of the previous iteration ("carry", semantics.md)
};

/// One step of an iteration of a rank.
struct ProgramStep
{
    static constexpr uint32_t NO_TENSOR = UINT32_MAX;

    bool compute{true};    ///< a compute step, else a collective
    std::string label;     ///< "forward", "backward 3", "all-reduce bucket 0", ...
    int64_t durationPs{0}; ///< compute: duration before jitter [ps]
    /// Collective: index into IterationProgram::communicators, or into the rank's own list of them.
    uint32_t communicator{0};
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint64_t bytes{0}; ///< collective: buffer of a rank [byte]
    /// Rank of the communicator: root of a broadcast or reduction; sender of a message
    /// (SEND_RECEIVE), which the other rank of a communicator of two receives.
    uint32_t root{0};
    std::vector<StepDependency> dependencies;
    /// Collective of a gradient that is sent as a tensor (TensorExchange): its layer, from the
    /// input on.
    uint32_t tensor{NO_TENSOR};

    /// The collective on a communicator of so many ranks.
    CollectiveCall GetCall(uint32_t ranks) const;
};

/// The steps of one iteration of one rank, in issue order. Compute steps of a rank run one at a
/// time in this order on its `compute` stream; collectives in this order on their communicator's.
struct RankProgram
{
    std::vector<ProgramStep> steps;
};

/// A group of ranks that run collectives together; its own stream on each of them.
struct CommunicatorSpec
{
    std::vector<uint32_t> ranks;
    uint32_t channels{0};          ///< 0: CollectiveLayout::GetDefaultChannels()
    std::string algorithm{"Ring"}; ///< TypeId "ns3::" + algorithm + "Collective"
    /// Attributes of the algorithm, names and values as ns-3 takes them.
    std::vector<std::pair<std::string, std::string>> algorithmAttributes;

    /// Takes the algorithm of a job's `collective:`.
    void SetAlgorithm(const TypedBlock& block);
};

/// What every rank of a job does in an iteration, a plain value (semantics.md).
class IterationProgram
{
  public:
    uint32_t ranks{0};
    std::vector<CommunicatorSpec> communicators;
    std::vector<RankProgram> programs; ///< shared by ranks that do the same
    std::vector<uint32_t> rankProgram; ///< program index of each rank
    /// By rank: the communicators its steps name by number, so that ranks that do the same on
    /// other communicators share a program; empty: steps name those of `communicators` directly.
    std::vector<std::vector<uint32_t>> rankCommunicators;
    double flopPerIteration{0}; ///< W: 6 x MACs, all ranks together [FLOP]
    uint64_t gradientBytes{0};  ///< bytes of gradients of a rank [byte]

    const RankProgram& GetRankProgram(uint32_t rank) const
    {
        return programs[rankProgram[rank]];
    }

    /// Numbers of communicators that steps of a rank may use.
    uint32_t GetSlotCount(uint32_t rank) const
    {
        return static_cast<uint32_t>(rankCommunicators.empty() ? communicators.size()
                                                               : rankCommunicators[rank].size());
    }

    /// The communicator that steps of a rank mean by a number.
    uint32_t GetCommunicator(uint32_t rank, uint32_t slot) const
    {
        return rankCommunicators.empty() ? slot : rankCommunicators[rank][slot];
    }

    /// The number by which steps of a rank mean a communicator; UINT32_MAX: none.
    uint32_t FindSlot(uint32_t rank, uint32_t communicator) const;
    /// Whether some gradient is sent as a tensor (ProgramStep::tensor).
    bool HasTensors() const;
    /// Whether all its collectives are among these.
    bool HasOnly(std::initializer_list<CollectiveOperation> operations) const;
    /// Sum of the compute durations of a rank [ps].
    int64_t GetComputePs(uint32_t rank) const;
    /// One sentence for each fault: cycles, unknown steps or communicators, ranks of a
    /// communicator that issue different collectives.
    std::vector<std::string> Validate() const;
};

} // namespace ns3

#endif // GPU_FABRIC_ITERATION_PROGRAM_H
