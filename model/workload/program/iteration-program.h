/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ITERATION_PROGRAM_H
#define GPU_FABRIC_ITERATION_PROGRAM_H

#include "../job-spec.h"

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The collective of a step; nothing for a compute step.
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

    bool compute{true};    ///< a compute step; otherwise a collective
    std::string label;     ///< "forward", "backward 3", "all-reduce bucket 0", ...
    int64_t durationPs{0}; ///< compute: duration before jitter [ps]
    /// Collective: index into IterationProgram::communicators, or into the rank's own list.
    uint32_t communicator{0};
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint64_t bytes{0}; ///< collective: buffer of a rank [byte]
    /// Rank within the communicator: root of a broadcast or reduction; sender of a message
    /// (SEND_RECEIVE), which the other rank of a communicator of two receives.
    uint32_t root{0};
    std::vector<StepDependency> dependencies;
    /// Collective of a gradient that is sent as a tensor (TensorExchange): its layer, counted from
    /// the input.
    uint32_t tensor{NO_TENSOR};

    /// The collective, for a communicator with the given number of ranks.
    CollectiveCall GetCall(uint32_t ranks) const;
};

/// The steps of one iteration of one rank, in issue order. Compute steps of a rank run one at a
/// time in this order on its `compute` stream; collectives run in this order on the stream of their
/// communicator.
struct RankProgram
{
    std::vector<ProgramStep> steps;
};

/// A group of ranks that run collectives together; it has its own stream on each of them.
struct CommunicatorSpec
{
    std::vector<uint32_t> ranks;
    uint32_t channels{0};          ///< 0: CollectiveLayout::GetDefaultChannels()
    std::string algorithm{"Ring"}; ///< TypeId "ns3::" + algorithm + "Collective"
    /// Attributes of the algorithm, with ns-3 names and values.
    std::vector<std::pair<std::string, std::string>> algorithmAttributes;
    uint32_t depth{1}; ///< collectives that a rank runs at a time

    /// Sets the algorithm from a job's `collective:`.
    void SetAlgorithm(const TypedBlock& block);
};

/// The steps of every rank of a job in an iteration, a plain value (semantics.md).
class IterationProgram
{
  public:
    uint32_t ranks{0};
    std::vector<CommunicatorSpec> communicators;
    std::vector<RankProgram> programs; ///< shared by ranks with the same steps
    std::vector<uint32_t> rankProgram; ///< program index of each rank
    /// By rank: the communicators that its steps refer to by number, so that ranks with the same
    /// steps on different communicators share a program; empty: steps refer directly to
    /// `communicators`.
    std::vector<std::vector<uint32_t>> rankCommunicators;
    double flopPerIteration{0}; ///< W: 6 x MACs, all ranks together [FLOP]
    uint64_t gradientBytes{0};  ///< bytes of gradients per rank [byte]

    const RankProgram& GetRankProgram(uint32_t rank) const
    {
        return programs[rankProgram[rank]];
    }

    /// Number of communicators that steps of a rank may refer to.
    uint32_t GetSlotCount(uint32_t rank) const
    {
        return static_cast<uint32_t>(rankCommunicators.empty() ? communicators.size()
                                                               : rankCommunicators[rank].size());
    }

    /// The communicator that steps of a rank refer to by a number.
    uint32_t GetCommunicator(uint32_t rank, uint32_t slot) const
    {
        return rankCommunicators.empty() ? slot : rankCommunicators[rank][slot];
    }

    /// The number by which steps of a rank refer to a communicator; UINT32_MAX: none.
    uint32_t FindSlot(uint32_t rank, uint32_t communicator) const;
    /// Whether some gradient is sent as a tensor (ProgramStep::tensor).
    bool HasTensors() const;
    /// Whether all its collectives are among those given.
    bool HasOnly(std::initializer_list<CollectiveOperation> operations) const;
    /// Sum of the compute durations of a rank [ps].
    int64_t GetComputePs(uint32_t rank) const;
    /// One sentence per fault: cycles, unknown steps or communicators, ranks of a communicator that
    /// issue different collectives.
    std::vector<std::string> Validate() const;
};

} // namespace ns3

#endif // GPU_FABRIC_ITERATION_PROGRAM_H
