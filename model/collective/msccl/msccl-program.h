/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_MSCCL_PROGRAM_H
#define GPU_FABRIC_MSCCL_PROGRAM_H

#include "../../base/diagnostics.h"

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// The type of a step of a thread block (microsoft/msccl, src/graph/topo.cc).
enum class MscclStepType : uint8_t
{
    SEND,                     ///< "s"
    RECEIVE,                  ///< "r": receive into dst
    RECEIVE_COPY_SEND,        ///< "rcs": receive into dst, forward
    RECEIVE_REDUCE_SEND,      ///< "rrs": receive, add src, forward; nothing is stored
    RECEIVE_REDUCE_COPY,      ///< "rrc": receive, add src, store in dst
    RECEIVE_REDUCE_COPY_SEND, ///< "rrcs": the same, and forward
    LOCAL_COPY,               ///< "cpy": src to dst
    LOCAL_REDUCE,             ///< "re": add src to dst
    RESIDUAL_ADD,             ///< "ra": add data that are not part of the collective to dst
    NOTHING                   ///< "nop": only waits
};

/// A step of a thread block; it starts once the previous step and the one that it names have ended.
struct MscclStep
{
    MscclStepType type{MscclStepType::NOTHING};
    ChunkBuffer sourceBuffer{ChunkBuffer::INPUT};
    ChunkBuffer destinationBuffer{ChunkBuffer::OUTPUT};
    uint32_t sourceChunk{0};
    uint32_t destinationChunk{0};
    uint32_t chunkCount{0};
    int32_t dependencyBlock{-1}; ///< thread block of the same GPU, or -1
    int32_t dependencyStep{-1};
    bool hasDependents{false}; ///< another step depends on this one
    SourceMark mark;
};

/// Steps that run in sequence, with at most one peer to send to and one to receive from.
struct MscclThreadBlock
{
    int32_t send{-1};    ///< GPU, or -1
    int32_t receive{-1}; ///< GPU, or -1
    uint32_t channel{0};
    std::vector<MscclStep> steps;
    SourceMark mark;
};

/// The program of one GPU; the id of a thread block is its index.
struct MscclGpu
{
    uint32_t inputChunks{0};
    uint32_t outputChunks{0};
    uint32_t scratchChunks{0};
    std::vector<MscclThreadBlock> blocks;
    SourceMark mark;
};

/**
 * An algorithm of the Microsoft Collective Communication Library, with the contents of its XML
 * file; a plain value. `root` and `destinations` are extensions for operations that need them.
 */
struct MscclProgram
{
    std::string name;
    CollectiveProtocol protocol{CollectiveProtocol::SIMPLE};
    CollectiveOperation operation{CollectiveOperation::ALL_REDUCE};
    uint32_t channels{1};
    uint32_t chunks{1}; ///< of the larger buffer ("nchunksperloop")
    bool inPlace{false};
    bool outOfPlace{true};
    uint64_t minBytes{0};          ///< smallest buffer that it applies to [byte]
    uint64_t maxBytes{UINT64_MAX}; ///< largest buffer that it applies to [byte]
    uint32_t root{0};
    std::vector<uint32_t> destinations; ///< as CollectiveCall::destinations
    std::vector<MscclGpu> gpus;         ///< by id
    SourceMark mark;

    /// "s", "rcs", ...
    static const char* GetTypeName(MscclStepType type);
    /// The type of that name, if any.
    static std::optional<MscclStepType> FindType(const std::string& name);
    /// All names of types, in the order of the enumeration.
    static const std::vector<std::string>& GetTypeNames();

    static bool Sends(MscclStepType type);
    static bool Receives(MscclStepType type);
    /// Whether the step's source and destination are chunks of its own GPU.
    static bool UsesSource(MscclStepType type);
    static bool UsesDestination(MscclStepType type);

    /// Number of chunks that a GPU's buffer has for the operation; for scratch, the number
    /// declared.
    uint32_t GetChunks(const MscclGpu& gpu, ChunkBuffer buffer) const;

    /// The program as an XML file.
    std::string ToXml() const;
};

} // namespace ns3

#endif // GPU_FABRIC_MSCCL_PROGRAM_H
