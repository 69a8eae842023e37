/* SPDX-License-Identifier: GPL-2.0-only */
#include "collective-report.h"

#include "../../model/collective/collective-figures.h"
#include "../../model/collective/msccl/msccl-importer.h"
#include "../../model/collective/msccl/msccl-reader.h"

#include <cinttypes>
#include <cstdio>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

std::string
Range(uint64_t least, uint64_t most, const std::string& unit)
{
    const std::string low = std::to_string(least);
    return (least == most ? low : low + " to " + std::to_string(most)) + " " + unit;
}

/// Chunks as multiples of the buffer, e.g. "1.750".
std::string
GetBuffers(uint64_t chunks, uint32_t buffer)
{
    // Rounded to thousandths, so that the text is the same on every machine.
    const uint64_t thousandths = (chunks * 1000 + buffer / 2) / buffer;
    char text[48];
    std::snprintf(text,
                  sizeof(text),
                  "%" PRIu64 ".%03" PRIu64,
                  thousandths / 1000,
                  thousandths % 1000);
    return text;
}

} // namespace

CollectiveReport::CollectiveReport(std::ostream& out, std::ostream& err)
    : m_out(out),
      m_err(err)
{
}

int
CollectiveReport::Run(const std::string& file, bool check)
{
    Diagnostics diagnostics;
    const std::optional<MscclProgram> program = MscclReader(diagnostics).ReadFile(file);
    std::optional<CollectiveSchedule> schedule;
    if (program)
    {
        schedule = MscclImporter(*program, diagnostics).Import(false);
    }
    diagnostics.Print(m_err);
    if (!schedule)
    {
        return BAD_INPUT;
    }
    if (check)
    {
        return OK;
    }
    const CollectiveFigures figures = CollectiveFigures::Make(*schedule);
    const std::string sizes = program->maxBytes == UINT64_MAX
                                  ? std::to_string(program->minBytes) + " B and more"
                                  : Range(program->minBytes, program->maxBytes, "B");
    const std::vector<std::pair<std::string, std::string>> rows{
        {"name", program->name},
        {"collective", GetCollectiveOperationName(program->operation)},
        {"protocol", ToName(program->protocol)},
        {"buffers", program->inPlace ? "in place" : "out of place"},
        {"sizes", sizes},
        {"ranks", std::to_string(schedule->ranks)},
        {"chunks", std::to_string(schedule->chunks)},
        {"channels", std::to_string(schedule->channels)},
        {"messages", std::to_string(figures.messages)},
        {"egress a GPU",
         Range(figures.leastEgress, figures.mostEgress, "chunks") + ", " +
             GetBuffers(figures.mostEgress, schedule->chunks) + " buffers"},
        {"most on a link", std::to_string(figures.mostOnLink) + " chunks"},
        {"makespan", std::to_string(figures.makespan) + " chunk times"}};
    for (const auto& [key, value] : rows)
    {
        m_out << key << std::string(16 - key.size(), ' ') << value << "\n";
    }
    m_out << "(A link of its own for each ordered pair of GPUs, one chunk a chunk time.)\n";
    return OK;
}

} // namespace ns3
