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
            for (const auto& [on, carry] : step.dependencies)
            {
                text << " " << on << (carry ? "c" : "");
            }
            text << "\n";
        }
        add(text.str());
    }
    for (const auto& lists : {workload.groups, workload.rankGroups, {workload.rankProgram}})
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
             "Chakra: a JSON file of the process groups, by name a list of ranks.")});
    return table;
}

std::shared_ptr<const ImportedWorkload>
WorkloadReader::Load(const DocumentNode& node, const std::string& path, Diagnostics& diagnostics)
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
    auto workload = reader->Read(files, diagnostics);
    if (!workload)
    {
        return nullptr;
    }
    workload->digest = GetDigest(*workload);
    workload->format = files.format;
    workload->file = written;
    NS_LOG_INFO(written << " was read as " << files.format << ", digest " << workload->digest);
    return std::make_shared<const ImportedWorkload>(std::move(*workload));
}

} // namespace ns3
