/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/level-compression.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("BalancedCompression");

/// Groups of equal size (they differ by at most one job): Varys's method, as Crux describes it
/// (SIGCOMM 2024, section 4.3, Figure 13).
class BalancedCompression : public LevelCompression
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::BalancedCompression")
                                .SetParent<LevelCompression>()
                                .SetGroupName("GpuFabric")
                                .AddConstructor<BalancedCompression>();
        return tid;
    }

    CompressedLevels Compress(const std::vector<CompressibleJob>& jobs,
                              uint32_t levels,
                              uint64_t /* seed */) const override
    {
        NS_LOG_FUNCTION(this << jobs.size() << levels);
        CompressedLevels result;
        const uint64_t groups = std::min<uint64_t>(levels, jobs.size());
        for (uint64_t rank = 0; rank < jobs.size(); rank++)
        {
            CompressedJob& job = result.jobs.emplace_back();
            job.level = static_cast<uint32_t>(rank * groups / jobs.size());
            job.reason = "group " + std::to_string(job.level + 1) + " of " +
                         std::to_string(groups) + " of equal size";
        }
        return result;
    }
};

NS_OBJECT_ENSURE_REGISTERED(BalancedCompression);

} // namespace ns3
