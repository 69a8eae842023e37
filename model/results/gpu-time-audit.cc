/* SPDX-License-Identifier: GPL-2.0-only */
#include "gpu-time-audit.h"

#include <algorithm>
#include <utility>

namespace ns3
{

GpuTimeAudit
GpuTimeAudit::Make(const std::vector<SpanRecord>& spans,
                   const std::vector<GpuAllocationRecord>& allocations,
                   int64_t endPs)
{
    GpuTimeAudit audit;
    std::vector<std::pair<int64_t, int>> edges; // time and change of the number of spans that cover
                                                // it
    const auto cover = [&](int64_t startPs, int64_t stopPs) {
        const int64_t from = std::clamp<int64_t>(startPs, 0, endPs);
        const int64_t to = std::clamp<int64_t>(stopPs, 0, endPs);
        audit.oncePs -= (stopPs - startPs) - (to - from);
        edges.emplace_back(from, 1);
        edges.emplace_back(to, -1);
    };

    for (const SpanRecord& span : spans)
    {
        audit.totalPs += span.endPs - span.startPs;
        const bool held = std::any_of(allocations.begin(), allocations.end(), [&](const auto& a) {
            return a.job == span.job && a.startPs <= span.startPs && span.endPs <= a.endPs;
        });
        if (held)
        {
            cover(span.startPs, span.endPs);
        }
    }

    std::vector<std::pair<int64_t, int64_t>> held;
    for (const GpuAllocationRecord& allocation : allocations)
    {
        held.emplace_back(allocation.startPs, allocation.endPs);
    }
    std::sort(held.begin(), held.end());
    int64_t freePs = 0; // from here on, no earlier allocation holds the GPU
    for (const auto& [startPs, stopPs] : held)
    {
        if (startPs > freePs)
        {
            audit.totalPs += startPs - freePs;
            cover(freePs, startPs);
        }
        freePs = std::max(freePs, stopPs);
    }
    if (endPs > freePs)
    {
        audit.totalPs += endPs - freePs;
        cover(freePs, endPs);
    }

    std::sort(edges.begin(), edges.end());
    int covers = 0;
    int64_t lastPs = 0;
    for (const auto& [timePs, change] : edges)
    {
        if (covers == 1)
        {
            audit.oncePs += timePs - lastPs;
        }
        covers += change;
        lastPs = timePs;
    }
    return audit;
}

} // namespace ns3
