/* SPDX-License-Identifier: GPL-2.0-only */
#include "workload-reader.h"

#include "../document/attribute-reader.h"
#include "../document/document-loader.h"
#include "../workload/program/iteration-program.h"

#include "ns3/hash.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <sstream>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WorkloadReader");

NS_OBJECT_ENSURE_REGISTERED(WorkloadReader);

namespace
{

const TypeFamily FAMILY{"WorkloadReader", "ns3::WorkloadReader"};

uint64_t
GetDigest(const ImportedWorkload& workload)
{
    uint64_t digest = 0;
    const auto add = [&digest](const std::string& text) {
        digest = Hash64(std::to_string(digest) + text);
    };
    for (const std::vector<ImportedStep>& steps : workload.programs)
    {
        std::ostringstream text;
        for (const ImportedStep& step : steps)
        {
            const auto operation = FindOperation(step.kind);
            text << (operation ? GetCollectiveOperationName(*operation) : "compute") << " "
                 << step.durationPs << " " << step.bytes << " " << step.slot << " " << step.root;
            if (step.work)
            {
                text << " work " << step.work->operations << " " << step.work->bytes;
            }
            for (const auto& [on, carry] : step.dependencies)
            {
                text << " " << on << (carry ? "c" : "");
            }
            text << "\n";
        }
        add(text.str());
    }
    std::vector<std::vector<std::vector<uint32_t>>> all{workload.groups,
                                                        workload.rankGroups,
                                                        {workload.rankProgram}};
    if (!workload.depths.empty())
    {
        all.push_back({workload.depths});
    }
    for (const auto& lists : all)
    {
        for (const std::vector<uint32_t>& list : lists)
        {
            std::string text;
            for (const uint32_t value : list)
            {
                text += std::to_string(value) + " ";
            }
            add(text);
        }
    }
    return digest;
}

} // namespace

TypeId
WorkloadReader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WorkloadReader").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

bool
WorkloadReader::TakesGroups() const
{
    return false;
}

bool
WorkloadReader::HasMessages() const
{
    return false;
}

bool
WorkloadReader::HasUntimedKernels() const
{
    return false;
}

std::optional<std::string>
WorkloadReader::ReadFile(const std::string& file, const SourceMark& mark, Diagnostics& diagnostics)
{
    std::string error;
    auto text = DocumentLoader::ReadText(file, error, MAX_BYTES);
    if (!text)
    {
        diagnostics.Error(mark, "", Diagnostics::Quote(file) + ": " + error);
    }
    return text;
}

const DocumentTable<WorkloadFiles>&
WorkloadReader::GetKeys()
{
    using S = WorkloadFiles;
    static const DocumentTable<S> table(
        "workload",
        {Key("file", &S::file, Form::Text(), "The file, relative to the scenario.").Required(),
         Key("format", &S::format, Form::TypeName(FAMILY, "format"), "Format of the file.")
             .Required(),
         Key("groups",
             &S::groups,
             Form::Text(),
             "Chakra: a JSON file of the process groups, by name a list of ranks."),
         Key("eager-limit",
             &S::eagerBytes,
             Form::Bytes(),
             "Chakra, GOAL: a sender waits for the receiver of messages larger than this (default: "
             "NCCL's buffer of a channel)."),
         Key("untimed-compute",
             &S::untimedPs,
             Form::Time(),
             "Chakra: time of kernels without duration_micros, num_ops and tensor_size.")
             .Otherwise("an error")});
    return table;
}

std::shared_ptr<const ImportedWorkload>
WorkloadReader::Load(const DocumentNode& node,
                     const std::string& path,
                     const JobSpec& job,
                     Diagnostics& diagnostics)
{
    WorkloadFiles files;
    const DocumentBlock block = GetKeys().Read(node, path, diagnostics, files);
    if (!block.IsComplete() || block.IsWrong("file") || block.IsWrong("format"))
    {
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(AttributeReader::FindType(files.format, FAMILY.suffix));
    const auto reader = factory.Create<WorkloadReader>();
    const std::string written = files.file;
    files.file = DocumentLoader::Resolve(written, *node.file);
    files.mark = block.GetMark("file");
    if (!files.groups.empty())
    {
        if (!reader->TakesGroups())
        {
            block.Error("groups", "format " + files.format + " has no file of groups");
            return nullptr;
        }
        files.groups = DocumentLoader::Resolve(files.groups, *node.file);
        files.groupsMark = block.GetMark("groups");
    }
    for (const auto& [key, takes, what] :
         {std::make_tuple("eager-limit", reader->HasMessages(), " has no messages"),
          std::make_tuple("untimed-compute",
                          reader->HasUntimedKernels(),
                          " gives every compute time")})
    {
        if (block.Has(key) && !takes)
        {
            block.Error(key, "format " + files.format + what);
            return nullptr;
        }
    }
    files.gpus = job.gpus;
    files.gpuType = job.gpuType;
    files.precision = job.precision;
    auto workload = reader->Read(files, diagnostics);
    if (!workload)
    {
        return nullptr;
    }
    workload->digest = GetDigest(*workload);
    workload->format = files.format;
    workload->file = written;
    for (ImportCount& count : workload->counts)
    {
        count.source = files.format + " " + written;
    }
    NS_LOG_INFO(written << " was read as " << files.format << ", digest " << workload->digest);
    return std::make_shared<const ImportedWorkload>(std::move(*workload));
}

} // namespace ns3
