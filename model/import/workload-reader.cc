/* SPDX-License-Identifier: GPL-2.0-only */
#include "workload-reader.h"

#include "../document/attribute-reader.h"
#include "../document/document-loader.h"

#include "ns3/hash.h"
#include "ns3/iteration-program.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(WorkloadReader);

namespace
{

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

std::shared_ptr<const ImportedWorkload>
WorkloadReader::Load(const DocumentBlock& block,
                     const std::string& scenario,
                     Diagnostics& diagnostics)
{
    const auto file = block.GetText("file");
    const auto format = block.GetText("format");
    const auto groups = block.GetText("groups");
    if (!block.IsComplete() || !file || !format)
    {
        return nullptr;
    }
    const auto names = ScenarioKeys::Split(ScenarioKeys::Find("workload", "format")->detail);
    const auto known = AttributeReader::ListTypes(names.at(0), names.at(1));
    if (std::find(known.begin(), known.end(), *format) == known.end())
    {
        block.Error("format", Diagnostics::Unknown("format", *format, known));
        return nullptr;
    }
    ObjectFactory factory;
    factory.SetTypeId(AttributeReader::FindType(*format, names.at(0)));
    const auto reader = factory.Create<WorkloadReader>();
    WorkloadFiles files;
    files.file = DocumentLoader::Resolve(*file, scenario);
    files.mark = block.GetMark("file");
    if (groups)
    {
        if (!reader->TakesGroups())
        {
            block.Error("groups", "format " + *format + " has no file of groups");
            return nullptr;
        }
        files.groups = DocumentLoader::Resolve(*groups, scenario);
        files.groupsMark = block.GetMark("groups");
    }
    auto workload = reader->Read(files, diagnostics);
    if (!workload)
    {
        return nullptr;
    }
    workload->digest = GetDigest(*workload);
    workload->format = *format;
    workload->file = *file;
    return std::make_shared<const ImportedWorkload>(std::move(*workload));
}

} // namespace ns3
