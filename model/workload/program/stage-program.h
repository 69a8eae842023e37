/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_STAGE_PROGRAM_H
#define GPU_FABRIC_STAGE_PROGRAM_H

#include "../../base/ratio.h"
#include "parallel-layout.h"
#include "pipeline-schedule.h"
#include "step-writer.h"

#include "ns3/model-profile.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/// The parameters of parallel training of a model in addition to the layout.
struct ParallelTraining
{
    const ModelProfile* profile{nullptr};
    ParallelLayout layout{1, 1, 1};
    uint32_t microbatches{1};
    uint64_t microBatch{1}; ///< samples per microbatch
    uint32_t chunks{1};     ///< of a stage
    uint32_t zero{0};
    bool recompute{false};
    bool scatterGather{true};
    bool overlap{true};           ///< reduce gradients during the backward pass
    uint64_t firstBucketBytes{1}; ///< of each stage, chunk and kind of parameters [byte]
    uint64_t bucketBytes{1};      ///< [byte]
    uint32_t gradientBytes{4};    ///< per parameter [byte]
    uint32_t elementBytes{2};     ///< per activation, and per parameter that is gathered [byte]
    uint32_t parameterServers{0};
    Ratio scale;
    std::vector<uint64_t> forwardPs;  ///< by layer, for a microbatch on a rank, scaled [ps]
    std::vector<uint64_t> backwardPs; ///< the same, without recomputation [ps]
};

/// Kinds of communicators of a rank; PUSH and PULL have one for each parameter server.
enum class ParallelStream : uint8_t
{
    TENSOR,       ///< GPUs that share layers: activations
    FORWARD_IN,   ///< from the previous stage: activations
    FORWARD_OUT,  ///< to the next stage
    BACKWARD_IN,  ///< from the next stage: gradients of activations
    BACKWARD_OUT, ///< to the previous stage
    EXPERT,       ///< GPUs with other experts: tokens
    TABLES,       ///< GPUs with other tables: vectors
    DATA,         ///< replicas: gradients
    GATHER,       ///< replicas: parameters
    EXPERT_DATA,  ///< replicas with the same experts: gradients
    EXPERT_GATHER,
    EMBEDDING, ///< first and last stage, which share the embedding's weights
    PUSH,
    PULL
};

/**
 * The program of the ranks of a pipeline stage.
 *
 * Forward passes of layers are computed in order, backward passes in reverse. With tensor
 * parallelism each half of a transformer block ends with an all-reduce both forward and backward,
 * the embedding with one forward, the head with one backward (Shoeybi et al., "Megatron-LM", 2019,
 * section 3); the next compute step waits for it. Experts: an all-to-all before and after them,
 * forward and backward, of k h elements per token divided by the GPUs that share a layer. Tables:
 * an all-to-all of their vectors in parallel with the bottom MLP, and one of the gradients. Stages
 * send activations and their gradients; with scatter-gather, each of the GPUs that share a layer
 * sends its part, and the receiving GPUs gather the parts.
 *
 * Gradients: buckets of whole layers starting from the last one, reduced when the backward pass of
 * the last microbatch has left them (without overlap, after everything else). zero 1: a
 * reduce-scatter of a bucket, then an all-gather of its parameters; zero 2: the reduce-scatter in
 * each microbatch; zero 3: the parameters of a block are gathered before each of its passes, one
 * block ahead, and its gradients reduce-scattered after each backward pass (Rajbhandari et al., SC
 * 2020; Zhao et al., "PyTorch FSDP", VLDB 2023). The next iteration waits for all of this.
 * Parameter servers: a share of each bucket is pushed to and pulled from each server (Li et al.,
 * OSDI 2014).
 *
 * With tensor parallelism, norms and biases are also treated as divided (they are under 0.1 % of
 * the parameters).
 */
class StageProgram
{
  public:
    /// A communicator that the program uses: kind and server number.
    using Stream = std::pair<ParallelStream, uint32_t>;

    /// \param training must outlive this object \param stage the stage
    StageProgram(const ParallelTraining& training, uint32_t stage);

    /// The program; may be called once.
    RankProgram Make();

    /// The communicators that its steps refer to by number, after Make().
    const std::vector<Stream>& GetStreams() const
    {
        return m_streams;
    }

    /// Bytes of gradients per rank [byte], after Make().
    uint64_t GetGradientBytes() const
    {
        return m_gradientBytes;
    }

  private:
    /// Layers whose gradients are reduced together.
    struct Bucket
    {
        uint32_t firstLayer{0};
        uint32_t lastLayer{0};
        uint64_t bytes{0};          ///< of gradients [byte]
        uint64_t parameterBytes{0}; ///< [byte]
        bool expert{false};
    };

    /// A chunk: consecutive layers of the model.
    struct Chunk
    {
        uint32_t first{0}; ///< layer
        uint32_t end{0};   ///< the layer after the last
        bool isFirst{false};
        bool isLast{false};
        std::vector<Bucket> buckets; ///< in order of the backward pass
        std::vector<Bucket> units;   ///< zero 3: gathered together, in forward order
    };

    const ModelLayer& GetLayer(uint32_t layer) const
    {
        return m_training.profile->layers[layer];
    }

    void MakeChunks();
    void MakeBuckets(Chunk& chunk, bool expert);
    void MakeUnits(Chunk& chunk);
    /// Number of parameters of a layer on a rank that are reduced together with other replicas.
    uint64_t GetParameters(uint32_t layer, bool expert) const;
    uint64_t Scale(uint64_t bytes) const;
    uint32_t GetSlot(ParallelStream stream, uint32_t server = 0);
    uint32_t Issue(const std::string& label,
                   ParallelStream stream,
                   CollectiveOperation operation,
                   uint64_t bytes,
                   uint32_t root = 0,
                   uint32_t server = 0);

    void RunForward(const PipelineTask& task);
    void RunBackward(const PipelineTask& task);
    /// All-to-all of the data that a layer exchanges in a microbatch. \returns its step
    uint32_t Exchange(ParallelStream stream, const ModelLayer& layer);
    /// Waits for the tokens of an expert layer to be sent out or to return.
    void ExchangeTokens(const ModelLayer& layer);
    void RunLayerForward(uint32_t layer);
    void RunLayerBackward(uint32_t layer);
    /// Repeats the forward pass of a block. \param last its last layer
    void Recompute(const Chunk& chunk, uint32_t last);
    void Receive(const PipelineTask& task);
    void Send(const PipelineTask& task);
    void ReduceActivations();
    /// Before a unit is computed: gathers it and the next one. \param ascending forward
    void GatherUnit(const Chunk& chunk, size_t unit, bool ascending);
    void ReduceBucket(const Bucket& bucket);
    void ReduceByServers(const Bucket& bucket);
    void ReduceAtEnd();
    void ReduceEmbedding();
    uint64_t GetHiddenBytes() const;

    const ParallelTraining& m_training;
    uint32_t m_stage;
    std::vector<Chunk> m_chunks;
    StepWriter m_writer;
    std::vector<Stream> m_streams;
    std::string m_label; ///< of the pass
    uint64_t m_gradientBytes{0};
    static constexpr uint32_t NONE = UINT32_MAX;
    uint32_t m_tables{NONE};   ///< all-to-all of vectors in progress
    uint32_t m_gathered{NONE}; ///< all-gather of the next unit
    std::vector<uint32_t>
        m_closing; ///< by communicator number: the last step that handles gradients
};

} // namespace ns3

#endif // GPU_FABRIC_STAGE_PROGRAM_H
