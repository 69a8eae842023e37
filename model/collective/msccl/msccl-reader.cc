/* SPDX-License-Identifier: GPL-2.0-only */
#include "msccl-reader.h"

#include "../../document/document-loader.h"

#include <algorithm>
#include <charconv>
#include <expat.h>
#include <memory>
#include <sstream>
#include <type_traits>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_BYTES = std::size_t{1} << 30; ///< of a file
constexpr int64_t MAX_GPUS = 4096;
constexpr int64_t MAX_CHUNKS = 1'000'000;
constexpr int64_t MAX_CHANNELS = 4096;
/// Total for all GPUs, each place with one bit per GPU: bounds the memory of the proof.
constexpr uint64_t MAX_MEMORY = uint64_t{1} << 30;

const std::vector<std::string> ELEMENTS{"algo", "gpu", "tb", "step"};

const std::map<std::string, CollectiveOperation> OPERATIONS{
    {"allreduce", CollectiveOperation::ALL_REDUCE},
    {"allgather", CollectiveOperation::ALL_GATHER},
    {"reduce_scatter", CollectiveOperation::REDUCE_SCATTER},
    {"reducescatter", CollectiveOperation::REDUCE_SCATTER},
    {"broadcast", CollectiveOperation::BROADCAST},
    {"reduce", CollectiveOperation::REDUCE},
    {"alltoall", CollectiveOperation::ALL_TO_ALL},
    {"custom", CollectiveOperation::SEND_RECEIVE}};

std::optional<int64_t>
ParseInteger(const std::string& text)
{
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end)
    {
        return std::nullopt;
    }
    return value;
}

} // namespace

class MscclReader::Parser
{
  public:
    Parser(MscclReader& reader, const std::string& text)
        : m_reader(reader),
          m_parser(XML_ParserCreate(nullptr), XML_ParserFree)
    {
        XML_SetUserData(m_parser.get(), this);
        XML_SetElementHandler(m_parser.get(), Start, Stop);
        XML_SetCharacterDataHandler(m_parser.get(), Text);
        constexpr size_t BLOCK = size_t{1} << 20;
        for (size_t begin = 0;;)
        {
            const size_t size = std::min(BLOCK, text.size() - begin);
            const bool last = begin + size == text.size();
            if (XML_Parse(m_parser.get(), text.data() + begin, static_cast<int>(size), last) ==
                XML_STATUS_ERROR)
            {
                m_reader.Error(GetMark(), XML_ErrorString(XML_GetErrorCode(m_parser.get())));
                return;
            }
            begin += size;
            if (last)
            {
                return;
            }
        }
    }

  private:
    SourceMark GetMark() const
    {
        return {m_reader.m_file,
                static_cast<int>(XML_GetCurrentLineNumber(m_parser.get())),
                static_cast<int>(XML_GetCurrentColumnNumber(m_parser.get())) + 1};
    }

    static void XMLCALL Start(void* self, const XML_Char* name, const XML_Char** attributes)
    {
        auto* parser = static_cast<Parser*>(self);
        Element element{name, parser->GetMark(), {}};
        for (; *attributes != nullptr; attributes += 2)
        {
            element.attributes.emplace(attributes[0], attributes[1]);
        }
        parser->m_reader.Begin(element);
    }

    static void XMLCALL Stop(void* self, const XML_Char* name)
    {
        static_cast<Parser*>(self)->m_reader.End(name);
    }

    static void XMLCALL Text(void* self, const XML_Char* text, int size)
    {
        auto* parser = static_cast<Parser*>(self);
        const std::string content(text, static_cast<size_t>(size));
        if (content.find_first_not_of(" \t\r\n") != std::string::npos)
        {
            parser->m_reader.Error(parser->GetMark(),
                                   "text " + Diagnostics::Quote(content) +
                                       " where only elements belong");
        }
    }

    MscclReader& m_reader;
    std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> m_parser;
};

MscclReader::MscclReader(Diagnostics& diagnostics)
    : m_diagnostics(diagnostics)
{
}

void
MscclReader::Error(const SourceMark& mark, const std::string& what)
{
    m_good = false;
    m_diagnostics.Error(mark, "", what);
}

std::optional<MscclProgram>
MscclReader::ReadFile(const std::string& file)
{
    std::string error;
    const auto text = DocumentLoader::ReadText(file, error, MAX_BYTES);
    if (!text)
    {
        Error({file, 0, 0}, error);
        return std::nullopt;
    }
    return ReadText(*text, file);
}

std::optional<MscclProgram>
MscclReader::ReadText(const std::string& text, const std::string& file)
{
    m_file = file;
    m_program = MscclProgram();
    m_good = true;
    m_open.clear();
    m_seen.clear();
    m_gpu = nullptr;
    m_block = nullptr;
    m_diagnostics.AddSource(file, text);
    Parser parser(*this, text);
    if (m_good)
    {
        CheckComplete();
    }
    return m_good ? std::optional<MscclProgram>(std::move(m_program)) : std::nullopt;
}

void
MscclReader::CheckComplete()
{
    for (uint32_t gpu = 0; gpu < m_seen.size(); gpu++)
    {
        if (!m_seen[gpu])
        {
            Error(m_program.mark,
                  "gpu " + std::to_string(gpu) + " is missing, ngpus is " +
                      std::to_string(m_seen.size()));
            return;
        }
    }
    const uint64_t ranks = m_program.gpus.size();
    uint64_t most = 0;
    for (const MscclGpu& gpu : m_program.gpus)
    {
        most = std::max<uint64_t>(most, gpu.scratchChunks);
    }
    if ((most + 2 * uint64_t{m_program.chunks}) * ranks * ((ranks + 63) / 64) * 8 > MAX_MEMORY)
    {
        Error(m_program.mark, "more chunks than can be checked");
    }
}

void
MscclReader::Begin(const Element& element)
{
    const size_t depth = m_open.size();
    m_open.push_back(element.name);
    if (std::find(ELEMENTS.begin(), ELEMENTS.end(), element.name) == ELEMENTS.end())
    {
        Error(element.mark, Diagnostics::Unknown("element", element.name, ELEMENTS));
        return;
    }
    if (depth >= ELEMENTS.size() || element.name != ELEMENTS[depth])
    {
        Error(element.mark,
              "<" + element.name + "> " +
                  (depth == 0 ? "at the top, where <algo> belongs"
                              : "inside <" + m_open[depth - 1] + ">"));
        return;
    }
    // Inside an invalid element there is nothing to compare with.
    if (depth == 0)
    {
        BeginAlgorithm(element);
    }
    else if (depth == 1 && !m_program.gpus.empty())
    {
        BeginGpu(element);
    }
    else if (depth == 2 && m_gpu != nullptr)
    {
        BeginBlock(element);
    }
    else if (depth == 3 && m_block != nullptr)
    {
        BeginStep(element);
    }
}

void
MscclReader::End(const std::string& name)
{
    m_open.pop_back();
    if (name == "gpu")
    {
        m_gpu = nullptr;
    }
    if (name == "tb")
    {
        m_block = nullptr;
    }
}

void
MscclReader::CheckNames(const Element& element, const std::vector<std::string>& names)
{
    for (const auto& [name, value] : element.attributes)
    {
        if (std::find(names.begin(), names.end(), name) == names.end())
        {
            m_diagnostics.Warning(element.mark,
                                  element.name,
                                  Diagnostics::Unknown("attribute", name, names));
        }
    }
}

std::optional<std::string>
MscclReader::GetText(const Element& element, const std::string& attribute)
{
    const auto found = element.attributes.find(attribute);
    if (found == element.attributes.end())
    {
        Error(element.mark, "<" + element.name + "> lacks the attribute \"" + attribute + "\"");
        return std::nullopt;
    }
    return found->second;
}

std::optional<int64_t>
MscclReader::GetNumber(const Element& element,
                       const std::string& attribute,
                       int64_t least,
                       int64_t most,
                       std::optional<int64_t> missing)
{
    if (missing && element.attributes.count(attribute) == 0)
    {
        return missing;
    }
    const std::optional<std::string> text = GetText(element, attribute);
    if (!text)
    {
        return std::nullopt;
    }
    const std::optional<int64_t> value = ParseInteger(*text);
    if (!value || *value < least || *value > most)
    {
        Error(element.mark,
              attribute + "=" + Diagnostics::Quote(*text) + " is not an integer from " +
                  std::to_string(least) + " to " + std::to_string(most));
        return std::nullopt;
    }
    return value;
}

void
MscclReader::BeginAlgorithm(const Element& element)
{
    CheckNames(element,
               {"name",
                "proto",
                "nchannels",
                "nchunksperloop",
                "ngpus",
                "coll",
                "inplace",
                "outofplace",
                "minBytes",
                "maxBytes",
                "redop",
                "root",
                "destinations"});
    m_program.mark = element.mark;
    m_program.name = GetText(element, "name").value_or("");
    const std::string protocol = GetText(element, "proto").value_or("Simple");
    if (const auto known = FromName<CollectiveProtocol>(protocol))
    {
        m_program.protocol = *known;
    }
    else
    {
        Error(element.mark, Diagnostics::Unknown("protocol", protocol, {"LL", "LL128", "Simple"}));
    }
    const auto ranks = GetNumber(element, "ngpus", 1, MAX_GPUS);
    m_program.channels =
        static_cast<uint32_t>(GetNumber(element, "nchannels", 1, MAX_CHANNELS).value_or(1));
    m_program.chunks =
        static_cast<uint32_t>(GetNumber(element, "nchunksperloop", 1, MAX_CHUNKS).value_or(1));
    m_program.inPlace = GetNumber(element, "inplace", 0, 1, 0).value_or(0) == 1;
    m_program.outOfPlace = GetNumber(element, "outofplace", 0, 1, 1).value_or(1) == 1;
    m_program.minBytes =
        static_cast<uint64_t>(GetNumber(element, "minBytes", 0, INT64_MAX, 0).value_or(0));
    // MSCCL uses 0 for no bound.
    const int64_t most = GetNumber(element, "maxBytes", 0, INT64_MAX, 0).value_or(0);
    m_program.maxBytes = most == 0 ? UINT64_MAX : static_cast<uint64_t>(most);
    if (m_program.minBytes > m_program.maxBytes)
    {
        Error(element.mark, "minBytes is more than maxBytes");
    }
    if (!ranks)
    {
        return;
    }
    m_program.gpus.resize(static_cast<size_t>(*ranks));
    m_seen.resize(static_cast<size_t>(*ranks));
    m_program.root =
        static_cast<uint32_t>(GetNumber(element, "root", 0, *ranks - 1, 0).value_or(0));
    ReadOperation(element);
}

void
MscclReader::ReadOperation(const Element& element)
{
    const std::optional<std::string> name = GetText(element, "coll");
    if (!name)
    {
        return;
    }
    const auto operation = OPERATIONS.find(*name);
    if (operation == OPERATIONS.end())
    {
        std::vector<std::string> names;
        for (const auto& entry : OPERATIONS)
        {
            names.push_back(entry.first);
        }
        Error(element.mark, Diagnostics::Unknown("collective", *name, names));
        return;
    }
    m_program.operation = operation->second;
    const bool divided = m_program.operation == CollectiveOperation::ALL_GATHER ||
                         m_program.operation == CollectiveOperation::REDUCE_SCATTER ||
                         m_program.operation == CollectiveOperation::ALL_TO_ALL;
    if (divided && m_program.chunks % m_program.gpus.size() != 0)
    {
        Error(element.mark,
              "nchunksperloop is " + std::to_string(m_program.chunks) +
                  ", not a multiple of ngpus, " + std::to_string(m_program.gpus.size()));
    }
    if (m_program.operation == CollectiveOperation::SEND_RECEIVE)
    {
        ReadDestinations(element);
    }
}

void
MscclReader::ReadDestinations(const Element& element)
{
    const auto text = element.attributes.find("destinations");
    if (text == element.attributes.end())
    {
        Error(
            element.mark,
            "coll=\"custom\" says nothing that could be proved: it is read as point to point, with "
            "the GPU that each GPU sends to, or -1, as in destinations=\"1 -1\"; for a known "
            "collective, name it by coll");
        return;
    }
    std::istringstream words(text->second);
    std::string word;
    const auto ranks = static_cast<int64_t>(m_program.gpus.size());
    while (words >> word)
    {
        const std::optional<int64_t> value = ParseInteger(word);
        if (!value || *value < -1 || *value >= ranks)
        {
            Error(element.mark, "destination " + Diagnostics::Quote(word) + " is no GPU, nor -1");
            return;
        }
        m_program.destinations.push_back(*value < 0 ? CollectiveCall::NOBODY
                                                    : static_cast<uint32_t>(*value));
    }
    if (m_program.destinations.size() != m_program.gpus.size())
    {
        Error(element.mark,
              std::to_string(m_program.destinations.size()) + " destinations for " +
                  std::to_string(ranks) + " GPUs");
    }
}

void
MscclReader::BeginGpu(const Element& element)
{
    CheckNames(element, {"id", "i_chunks", "o_chunks", "s_chunks"});
    const auto ranks = static_cast<int64_t>(m_program.gpus.size());
    const auto id = GetNumber(element, "id", 0, ranks - 1);
    if (!id)
    {
        return;
    }
    m_gpuId = static_cast<uint32_t>(*id);
    if (m_seen[m_gpuId])
    {
        Error(element.mark, "gpu " + std::to_string(m_gpuId) + " is given twice");
        return;
    }
    m_seen[m_gpuId] = true;
    m_gpu = &m_program.gpus[m_gpuId];
    m_gpu->mark = element.mark;
    const auto getChunks = [this, &element](const std::string& attribute) {
        return static_cast<uint32_t>(GetNumber(element, attribute, 0, MAX_CHUNKS).value_or(0));
    };
    m_gpu->inputChunks = getChunks("i_chunks");
    m_gpu->outputChunks = getChunks("o_chunks");
    m_gpu->scratchChunks = getChunks("s_chunks");
}

void
MscclReader::BeginBlock(const Element& element)
{
    CheckNames(element, {"id", "send", "recv", "chan"});
    const auto ranks = static_cast<int64_t>(m_program.gpus.size());
    MscclThreadBlock block;
    block.mark = element.mark;
    const auto id = GetNumber(element, "id", 0, INT32_MAX);
    const auto next = static_cast<int64_t>(m_gpu->blocks.size());
    if (id && *id != next)
    {
        Error(element.mark,
              "tb " + std::to_string(*id) + " of gpu " + std::to_string(m_gpuId) + " where tb " +
                  std::to_string(next) + " should come");
    }
    block.send = static_cast<int32_t>(GetNumber(element, "send", -1, ranks - 1).value_or(-1));
    block.receive = static_cast<int32_t>(GetNumber(element, "recv", -1, ranks - 1).value_or(-1));
    block.channel = static_cast<uint32_t>(
        GetNumber(element, "chan", 0, int64_t{m_program.channels} - 1).value_or(0));
    const auto self = static_cast<int32_t>(m_gpuId);
    if (block.send == self || block.receive == self)
    {
        Error(element.mark, "gpu " + std::to_string(m_gpuId) + " is its own peer");
    }
    m_gpu->blocks.push_back(std::move(block));
    m_block = &m_gpu->blocks.back();
}

std::optional<ChunkBuffer>
MscclReader::ReadBuffer(const Element& element, const std::string& attribute)
{
    const std::optional<std::string> name = GetText(element, attribute);
    if (!name)
    {
        return std::nullopt;
    }
    if (*name == "i")
    {
        return ChunkBuffer::INPUT;
    }
    if (*name == "o")
    {
        return ChunkBuffer::OUTPUT;
    }
    if (*name == "s")
    {
        return ChunkBuffer::SCRATCH;
    }
    Error(element.mark, attribute + ": " + Diagnostics::Unknown("buffer", *name, {"i", "o", "s"}));
    return std::nullopt;
}

void
MscclReader::ReadPlaces(const Element& element, MscclStep& step)
{
    const int64_t least = step.type == MscclStepType::NOTHING ? 0 : 1;
    step.chunkCount =
        static_cast<uint32_t>(GetNumber(element, "cnt", least, MAX_CHUNKS).value_or(1));
    const auto read =
        [&](const std::string& side, bool used, ChunkBuffer& buffer, uint32_t& chunk) {
            const auto name = ReadBuffer(element, side + "buf");
            const auto offset = GetNumber(element, side + "off", used ? 0 : -1, MAX_CHUNKS);
            if (!name || !offset || !used)
            {
                return;
            }
            buffer = *name;
            chunk = static_cast<uint32_t>(*offset);
            const uint32_t chunks = m_program.GetChunks(*m_gpu, buffer);
            const uint32_t declared = buffer == ChunkBuffer::INPUT    ? m_gpu->inputChunks
                                      : buffer == ChunkBuffer::OUTPUT ? m_gpu->outputChunks
                                                                      : chunks;
            // In place, only one of the two is declared.
            const uint32_t size = declared > 0 ? std::min(chunks, declared) : chunks;
            if (uint64_t{chunk} + step.chunkCount > size)
            {
                Error(element.mark,
                      "chunks " + std::to_string(chunk) + " to " +
                          std::to_string(uint64_t{chunk} + step.chunkCount - 1) + " of buffer \"" +
                          element.attributes.at(side + "buf") + "\" of gpu " +
                          std::to_string(m_gpuId) + ", which has " + std::to_string(size));
            }
        };
    read("src", MscclProgram::UsesSource(step.type), step.sourceBuffer, step.sourceChunk);
    read("dst",
         MscclProgram::UsesDestination(step.type),
         step.destinationBuffer,
         step.destinationChunk);
}

void
MscclReader::ReadWait(const Element& element, MscclStep& step)
{
    const auto block = GetNumber(element, "depid", -1, INT32_MAX);
    const auto number = GetNumber(element, "deps", -1, INT32_MAX);
    step.hasDependents = GetNumber(element, "hasdep", 0, 1, 0).value_or(0) == 1;
    if (!block || !number)
    {
        return;
    }
    step.dependencyBlock = static_cast<int32_t>(*block);
    step.dependencyStep = static_cast<int32_t>(*number);
    if ((*block < 0) != (*number < 0))
    {
        Error(element.mark, "depid and deps must both be -1, or neither");
    }
}

void
MscclReader::BeginStep(const Element& element)
{
    CheckNames(
        element,
        {"s", "type", "srcbuf", "srcoff", "dstbuf", "dstoff", "cnt", "depid", "deps", "hasdep"});
    MscclStep step;
    step.mark = element.mark;
    const auto next = static_cast<int64_t>(m_block->steps.size());
    const auto number = GetNumber(element, "s", 0, INT32_MAX);
    if (number && *number != next)
    {
        Error(element.mark,
              "step " + std::to_string(*number) + " where step " + std::to_string(next) +
                  " should come");
    }
    const std::optional<std::string> name = GetText(element, "type");
    const auto type = name ? MscclProgram::FindType(*name) : std::nullopt;
    if (name && !type)
    {
        Error(element.mark, Diagnostics::Unknown("type", *name, MscclProgram::GetTypeNames()));
    }
    if (type)
    {
        step.type = *type;
        ReadPlaces(element, step);
        if (MscclProgram::Sends(step.type) && m_block->send < 0)
        {
            Error(element.mark, "\"" + *name + "\" in a thread block that sends to no GPU");
        }
        if (MscclProgram::Receives(step.type) && m_block->receive < 0)
        {
            Error(element.mark, "\"" + *name + "\" in a thread block that receives from no GPU");
        }
    }
    ReadWait(element, step);
    m_block->steps.push_back(step);
}

} // namespace ns3
