/* SPDX-License-Identifier: GPL-2.0-only */
#include "msccl-program.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// Escapes text for an attribute's value.
std::string
Escape(const std::string& text)
{
    std::string escaped;
    for (char c : text)
    {
        switch (c)
        {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        default:
            escaped += c;
        }
    }
    return escaped;
}

const char*
GetBufferName(ChunkBuffer buffer)
{
    return buffer == ChunkBuffer::INPUT ? "i" : buffer == ChunkBuffer::OUTPUT ? "o" : "s";
}

const char*
GetOperationName(CollectiveOperation operation)
{
    switch (operation)
    {
    case CollectiveOperation::ALL_REDUCE:
        return "allreduce";
    case CollectiveOperation::ALL_GATHER:
        return "allgather";
    case CollectiveOperation::REDUCE_SCATTER:
        return "reduce_scatter";
    case CollectiveOperation::BROADCAST:
        return "broadcast";
    case CollectiveOperation::REDUCE:
        return "reduce";
    case CollectiveOperation::ALL_TO_ALL:
        return "alltoall";
    case CollectiveOperation::SEND_RECEIVE:
        break;
    }
    return "custom";
}

} // namespace

const std::vector<std::string>&
MscclProgram::GetTypeNames()
{
    static const std::vector<std::string>
        names{"s", "r", "rcs", "rrs", "rrc", "rrcs", "cpy", "re", "ra", "nop"};
    return names;
}

const char*
MscclProgram::GetTypeName(MscclStepType type)
{
    return GetTypeNames()[static_cast<size_t>(type)].c_str();
}

std::optional<MscclStepType>
MscclProgram::FindType(const std::string& name)
{
    const std::vector<std::string>& names = GetTypeNames();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
    {
        return std::nullopt;
    }
    return static_cast<MscclStepType>(found - names.begin());
}

bool
MscclProgram::Sends(MscclStepType type)
{
    return type == MscclStepType::SEND || type == MscclStepType::RECEIVE_COPY_SEND ||
           type == MscclStepType::RECEIVE_REDUCE_SEND ||
           type == MscclStepType::RECEIVE_REDUCE_COPY_SEND;
}

bool
MscclProgram::Receives(MscclStepType type)
{
    return type >= MscclStepType::RECEIVE && type <= MscclStepType::RECEIVE_REDUCE_COPY_SEND;
}

bool
MscclProgram::UsesSource(MscclStepType type)
{
    return type != MscclStepType::RECEIVE && type != MscclStepType::RECEIVE_COPY_SEND &&
           type != MscclStepType::RESIDUAL_ADD && type != MscclStepType::NOTHING;
}

bool
MscclProgram::UsesDestination(MscclStepType type)
{
    return type != MscclStepType::SEND && type != MscclStepType::RECEIVE_REDUCE_SEND &&
           type != MscclStepType::NOTHING;
}

uint32_t
MscclProgram::GetChunks(const MscclGpu& gpu, ChunkBuffer buffer) const
{
    const auto ranks = static_cast<uint32_t>(gpus.size());
    switch (buffer)
    {
    case ChunkBuffer::INPUT:
        return operation == CollectiveOperation::ALL_GATHER ? chunks / ranks : chunks;
    case ChunkBuffer::OUTPUT:
        return operation == CollectiveOperation::REDUCE_SCATTER ? chunks / ranks : chunks;
    case ChunkBuffer::SCRATCH:
        break;
    }
    return gpu.scratchChunks;
}

std::string
MscclProgram::ToXml() const
{
    std::ostringstream xml;
    xml << "<algo name=\"" << Escape(name) << "\" proto=\"" << ToName(protocol) << "\" nchannels=\""
        << channels << "\" nchunksperloop=\"" << chunks << "\" ngpus=\"" << gpus.size()
        << "\" coll=\"" << GetOperationName(operation) << "\" inplace=\"" << inPlace
        << "\" outofplace=\"" << outOfPlace << "\"";
    if (minBytes > 0)
    {
        xml << " minBytes=\"" << minBytes << "\"";
    }
    if (maxBytes < UINT64_MAX)
    {
        xml << " maxBytes=\"" << maxBytes << "\"";
    }
    if (root > 0)
    {
        xml << " root=\"" << root << "\"";
    }
    if (!destinations.empty())
    {
        xml << " destinations=\"";
        for (size_t i = 0; i < destinations.size(); i++)
        {
            xml << (i > 0 ? " " : "");
            if (destinations[i] == CollectiveCall::NOBODY)
            {
                xml << "-1";
            }
            else
            {
                xml << destinations[i];
            }
        }
        xml << "\"";
    }
    xml << ">\n";
    for (size_t g = 0; g < gpus.size(); g++)
    {
        const MscclGpu& gpu = gpus[g];
        xml << "  <gpu id=\"" << g << "\" i_chunks=\"" << gpu.inputChunks << "\" o_chunks=\""
            << gpu.outputChunks << "\" s_chunks=\"" << gpu.scratchChunks << "\">\n";
        for (size_t b = 0; b < gpu.blocks.size(); b++)
        {
            const MscclThreadBlock& block = gpu.blocks[b];
            xml << "    <tb id=\"" << b << "\" send=\"" << block.send << "\" recv=\""
                << block.receive << "\" chan=\"" << block.channel << "\">\n";
            for (size_t s = 0; s < block.steps.size(); s++)
            {
                const MscclStep& step = block.steps[s];
                xml << "      <step s=\"" << s << "\" type=\"" << GetTypeName(step.type)
                    << "\" srcbuf=\"" << GetBufferName(step.sourceBuffer) << "\" srcoff=\""
                    << step.sourceChunk << "\" dstbuf=\"" << GetBufferName(step.destinationBuffer)
                    << "\" dstoff=\"" << step.destinationChunk << "\" cnt=\"" << step.chunkCount
                    << "\" depid=\"" << step.dependencyBlock << "\" deps=\"" << step.dependencyStep
                    << "\" hasdep=\"" << step.hasDependents << "\"/>\n";
            }
            xml << "    </tb>\n";
        }
        xml << "  </gpu>\n";
    }
    xml << "</algo>\n";
    return xml.str();
}

} // namespace ns3
