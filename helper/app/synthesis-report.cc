/* SPDX-License-Identifier: GPL-2.0-only */
#include "synthesis-report.h"

#include "../../model/base/diagnostics.h"
#include "../../model/base/unit-parser.h"
#include "../../model/collective/msccl/msccl-exporter.h"
#include "../../model/collective/taccl/taccl-reader.h"

#include "ns3/abort.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>

namespace ns3
{

namespace
{

const std::vector<std::string> OPERATIONS{"allgather", "allreduce", "alltoall", "reduce_scatter"};

/// Microseconds with three decimal places.
std::string
ToUs(int64_t ps)
{
    const int64_t ns = (ps + 500) / 1000;
    char text[48];
    std::snprintf(text, sizeof(text), "%" PRId64 ".%03" PRId64 " us", ns / 1000, ns % 1000);
    return text;
}

std::string
ToPercent(double fraction)
{
    char text[48];
    std::snprintf(text, sizeof(text), "%.2f %%", 100 * fraction);
    return text;
}

std::string
Describe(const std::string& solver, double gap)
{
    return solver == "greedy" || solver == "exact" ? solver : solver + ", gap " + ToPercent(gap);
}

} // namespace

SynthesisReport::SynthesisReport(std::ostream& out, std::ostream& err)
    : m_out(out),
      m_err(err)
{
}

void
SynthesisReport::Error(const std::string& what)
{
    m_err << "gpu-fabric: " << what << "\n";
    m_good = false;
}

std::optional<CollectiveOperation>
SynthesisReport::ParseOperation(const std::string& text)
{
    std::string letters = text;
    letters.erase(
        std::remove_if(letters.begin(), letters.end(), [](char c) { return c == '-' || c == '_'; }),
        letters.end());
    for (CollectiveOperation operation : GetCollectiveOperations())
    {
        std::string name = GetCollectiveOperationName(operation);
        name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
        if (name == letters && TacclSynthesizer::CanDo(operation))
        {
            return operation;
        }
    }
    return std::nullopt;
}

bool
SynthesisReport::Parse(const Settings& settings, Parsed& parsed)
{
    for (const auto& [name, file] : {std::make_pair("topology", &settings.topology),
                                     std::make_pair("sketch", &settings.sketch)})
    {
        if (file->empty())
        {
            Error(std::string("a ") + name + " is needed: --" + name + "=FILE.json");
        }
    }
    const auto operation = ParseOperation(settings.collective);
    if (!operation)
    {
        Error("--collective: " +
              Diagnostics::Unknown("collective", settings.collective, OPERATIONS));
    }
    parsed.operation = operation.value_or(parsed.operation);
    const auto bytes = [this](const std::string& option, const std::string& text) {
        std::string why;
        const auto size = UnitParser::ParseBytes(text, why);
        if (!size || *size == 0 || *size > 1ULL << 50)
        {
            Error("--" + option + ": " + (size ? "must be 1B to 1PiB" : why));
        }
        return size.value_or(0);
    };
    parsed.bytes = settings.size.empty() ? 0 : bytes("size", settings.size);
    parsed.chunkBytes = bytes("chunk-size", settings.chunkSize);
    const auto time = [this](const std::string& option, const std::string& text, int64_t least) {
        std::string why;
        const auto ps = UnitParser::ParseTime(text, why);
        if (!ps || *ps < least)
        {
            Error("--" + option + ": " + (ps ? "is too short" : why));
        }
        return ps.value_or(least);
    };
    parsed.unitPs = time("time-unit", settings.timeUnit, 1);
    parsed.limitPs = time("time-limit", settings.timeLimit, 1'000'000'000'000);
    std::vector<std::string> solvers = MilpSolver::GetNames();
    solvers.insert(solvers.end(), {"auto", "none"});
    if (std::find(solvers.begin(), solvers.end(), settings.solver) == solvers.end())
    {
        Error("--solver: " + Diagnostics::Unknown("solver", settings.solver, solvers));
    }
    if (!FromName<TacclPaths>(settings.paths))
    {
        Error("--paths: " +
              Diagnostics::Unknown("choice", settings.paths, ListNames<TacclPaths>()));
    }
    return m_good;
}

void
SynthesisReport::PrintRow(const std::string& key, const std::string& value)
{
    m_out << key << std::string(16 - key.size(), ' ') << value << "\n";
}

void
SynthesisReport::Print(const TacclSynthesis& synthesis, uint64_t bytes)
{
    const CollectiveSchedule& schedule = synthesis.schedule;
    size_t messages = 0;
    for (const TacclTiming& phase : synthesis.phases)
    {
        messages += phase.messages.size();
    }
    PrintRow("collective", GetCollectiveOperationName(schedule.operation));
    PrintRow("ranks", std::to_string(schedule.ranks));
    PrintRow("chunks",
             std::to_string(schedule.chunks) + " of " + std::to_string(bytes / schedule.chunks) +
                 " B");
    PrintRow("messages", std::to_string(messages));
    PrintRow("routing",
             ToUs(synthesis.routes.timePs) + " relaxed (" +
                 Describe(synthesis.routes.solver, synthesis.routes.gap) + ")");
    for (const TacclTiming& phase : synthesis.phases)
    {
        PrintRow("schedule",
                 ToUs(phase.makespanPs) + " (" + Describe(phase.solver, phase.gap) + ")");
    }
    PrintRow("makespan", ToUs(synthesis.makespanPs));
    PrintRow("lower bound", ToUs(synthesis.boundPs));
}

int
SynthesisReport::Run(const Settings& settings)
{
    Parsed parsed;
    if (!Parse(settings, parsed))
    {
        return BAD_INPUT;
    }
    std::vector<std::string> errors;
    TacclReader reader(errors);
    const auto machine = reader.ReadMachine(settings.topology);
    const auto sketch =
        machine ? reader.ReadSketch(settings.sketch, *machine) : std::optional<TacclSketch>();
    for (const std::string& error : errors)
    {
        m_err << error << "\n";
    }
    if (!sketch)
    {
        return BAD_INPUT;
    }
    const uint64_t ranks = static_cast<uint64_t>(machine->gpus) * sketch->nodes;
    const uint64_t chunks = ranks * sketch->chunksOfRank;
    const uint64_t bytes = parsed.bytes > 0 ? parsed.bytes : parsed.chunkBytes * chunks;
    const double scale = static_cast<double>(bytes) / static_cast<double>(chunks) /
                         static_cast<double>(parsed.chunkBytes);
    const TacclNetwork network(*machine, *sketch, parsed.unitPs, scale);
    MilpSolver::Limits limits;
    limits.seconds = static_cast<double>(parsed.limitPs) * 1e-12;
    limits.gap = 1e-4;
    const MilpSolver solver(settings.solver, limits);
    if (settings.solver != "auto" && settings.solver != "none" && solver.GetName().empty())
    {
        Error("--solver: " + solver.GetMissing());
        return BAD_INPUT;
    }
    TacclSynthesizer::Options options;
    options.SetPaths(*FromName<TacclPaths>(settings.paths));
    const TacclSynthesizer synthesizer(network, *sketch, solver, options);
    const std::string fault = synthesizer.GetFault(parsed.operation);
    if (!fault.empty())
    {
        Error(settings.sketch + ": " + fault);
        return BAD_INPUT;
    }
    std::vector<uint32_t> nics;
    for (uint32_t rank = 0; rank < network.ranks; rank++)
    {
        // As in semantics.md: GPU g of G at NIC floor(g N / G).
        nics.push_back(static_cast<uint32_t>(static_cast<uint64_t>(rank % machine->gpus) *
                                             machine->nics / machine->gpus));
    }
    const TacclSynthesis synthesis = synthesizer.Run(parsed.operation, nics);
    const std::vector<std::string> faults = synthesis.schedule.Validate();
    NS_ABORT_MSG_IF(!faults.empty(), "a synthesized schedule is wrong: " << faults.front());
    if (!synthesis.fallback.empty())
    {
        m_err << "gpu-fabric: greedy: " << synthesis.fallback << "\n";
    }
    Print(synthesis, bytes);
    if (!settings.output.empty())
    {
        std::ofstream file(settings.output);
        file << MscclExporter(synthesis.schedule).Export().ToXml();
        file.close();
        if (!file)
        {
            Error("cannot write " + settings.output);
            return WRITE_FAILED;
        }
        PrintRow("output", settings.output);
    }
    return OK;
}

} // namespace ns3
