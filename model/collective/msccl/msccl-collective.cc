/* SPDX-License-Identifier: GPL-2.0-only */
#include "msccl-collective.h"

#include "../../base/file-name-value.h"
#include "../../base/text-value.h"
#include "msccl-importer.h"
#include "msccl-reader.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/string.h"

#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MscclCollective");

NS_OBJECT_ENSURE_REGISTERED(MscclCollective);

TypeId
MscclCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MscclCollective")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("GpuFabric")
            .AddConstructor<MscclCollective>()
            .AddAttribute("File",
                          "MSCCL XML file.",
                          FileNameValue(""),
                          MakeFileNameAccessor(&MscclCollective::m_file),
                          MakeFileNameChecker())
            .AddAttribute("Fallback",
                          "Algorithm for what the file is not for: another operation, number of "
                          "ranks or size. Empty: that is an error.",
                          TextValue(""),
                          MakeTextAccessor(&MscclCollective::m_fallback),
                          MakeTextChecker(&CollectiveAlgorithm::FindFallbackFault))
            .AddAttribute("WireOverhead",
                          "Whether messages carry the flags of the file's protocol: LL 2 B for 1 B "
                          "of data, LL128 128 B for 120 B (NCCL, src/collectives/device/"
                          "prims_ll.h and prims_ll128.h).",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MscclCollective::m_wireOverhead),
                          MakeBooleanChecker())
            .AddAttribute("CheckSize",
                          "Whether the file's minBytes and maxBytes bound the sizes it is for.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MscclCollective::m_checkSize),
                          MakeBooleanChecker());
    return tid;
}

double
MscclCollective::EstimateMessages(const CollectiveCall& call,
                                  const CollectiveLayout& layout,
                                  uint32_t channels) const
{
    const Ptr<CollectiveAlgorithm> fallback = m_fallback.empty() ? nullptr : Create(m_fallback);
    return fallback ? fallback->EstimateMessages(call, layout, channels) : 0;
}

bool
MscclCollective::DependsOnBytes(CollectiveOperation operation) const
{
    return operation != CollectiveOperation::SEND_RECEIVE; // its fallback may depend on the size
}

const MscclCollective::Contents&
MscclCollective::Load() const
{
    if (m_contents && m_contents->file == m_file && m_contents->wireOverhead == m_wireOverhead)
    {
        return *m_contents;
    }
    auto contents = std::make_shared<Contents>();
    contents->file = m_file;
    contents->wireOverhead = m_wireOverhead;
    Diagnostics diagnostics;
    contents->program = MscclReader(diagnostics).ReadFile(m_file);
    if (contents->program)
    {
        contents->schedule = MscclImporter(*contents->program, diagnostics).Import(m_wireOverhead);
    }
    if (!contents->schedule)
    {
        std::ostringstream messages;
        diagnostics.Print(messages);
        contents->fault = messages.str().substr(0, messages.str().find('\n'));
    }
    NS_LOG_INFO(m_file << (contents->fault.empty() ? " was read" : " cannot be used: ")
                       << contents->fault);
    m_contents = contents;
    return *m_contents;
}

std::string
MscclCollective::GetMismatch(const CollectiveCall& call, const CollectiveLayout& layout) const
{
    const MscclProgram& program = *Load().program;
    const std::string file = m_file + " is for ";
    if (program.operation != call.operation)
    {
        return file + GetCollectiveOperationName(program.operation) + ", not " +
               GetCollectiveOperationName(call.operation);
    }
    if (program.gpus.size() != layout.ranks.size())
    {
        return file + std::to_string(program.gpus.size()) + " ranks, not " +
               std::to_string(layout.ranks.size());
    }
    if (program.root != call.root && (call.operation == CollectiveOperation::BROADCAST ||
                                      call.operation == CollectiveOperation::REDUCE))
    {
        return file + "root " + std::to_string(program.root) + ", not " + std::to_string(call.root);
    }
    if (m_checkSize && (call.bytes < program.minBytes || call.bytes > program.maxBytes))
    {
        const std::string most =
            program.maxBytes == UINT64_MAX ? "more" : std::to_string(program.maxBytes);
        return file + std::to_string(program.minBytes) + " to " + most + " B, not " +
               std::to_string(call.bytes);
    }
    return "";
}

std::string
MscclCollective::DoGetUnsupportedReason(const CollectiveCall& call,
                                        const CollectiveLayout& layout) const
{
    if (m_file.empty())
    {
        return "Msccl needs a File";
    }
    if (!Load().fault.empty())
    {
        return Load().fault;
    }
    return GetReasonWithFallback(GetMismatch(call, layout), m_fallback, call, layout);
}

CollectiveSchedule
MscclCollective::DoBuild(const CollectiveCall& call,
                         const CollectiveLayout& layout,
                         uint32_t channels) const
{
    if (!GetMismatch(call, layout).empty())
    {
        return Create(m_fallback)->Build(call, layout, channels);
    }
    return *Load().schedule;
}

} // namespace ns3
