/* SPDX-License-Identifier: GPL-2.0-only */
#include "top-compression.h"

#include "ns3/boolean.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TopCompression");

NS_OBJECT_ENSURE_REGISTERED(TopCompression);

TypeId
TopCompression::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TopCompression")
            .SetParent<LevelCompression>()
            .SetGroupName("GpuFabric")
            .AddConstructor<TopCompression>()
            .AddAttribute("Unique",
                          "Whether every job is meant to have a level of its own, so that more "
                          "jobs than levels are a fallback (Crux without compression).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&TopCompression::m_unique),
                          MakeBooleanChecker());
    return tid;
}

CompressedLevels
TopCompression::Compress(const std::vector<CompressibleJob>& jobs,
                         uint32_t levels,
                         uint64_t /* seed */) const
{
    NS_LOG_FUNCTION(this << jobs.size() << levels);
    CompressedLevels result;
    for (uint32_t rank = 0; rank < jobs.size(); rank++)
    {
        CompressedJob& job = result.jobs.emplace_back();
        job.level = std::min(rank, levels - 1);
        job.reason = rank + 1 < levels ? "a level of its own" : "the lowest level";
    }
    if (m_unique && jobs.size() > levels)
    {
        result.fallbacks.push_back(std::to_string(jobs.size()) + " jobs need a level each, but " +
                                   "there are " + std::to_string(levels) + ": the last " +
                                   std::to_string(jobs.size() - levels + 1) + " share the lowest");
    }
    return result;
}

} // namespace ns3
