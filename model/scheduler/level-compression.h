/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LEVEL_COMPRESSION_H
#define GPU_FABRIC_LEVEL_COMPRESSION_H

#include "ns3/job-order.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A job as a compression sees it.
struct CompressibleJob
{
    uint32_t job{0};    ///< id
    double priority{0}; ///< the greater goes first
    double weight{0};   ///< what is lost if it shares a level with a job that shares a link with it
    std::vector<uint32_t> links; ///< directed links that it uses, ascending
};

/// The level of one job.
struct CompressedJob
{
    uint32_t level{0}; ///< 0 best
    std::string
        inputs; ///< JSON object: what the level is derived from; "" if the rank alone determines it
    std::string reason; ///< e.g. "a level of its own"
};

/// The result of a compression.
struct CompressedLevels
{
    std::vector<CompressedJob> jobs;    ///< in the order of the given jobs
    std::vector<std::string> fallbacks; ///< what could not be done, one sentence each
};

/// Maps an order of jobs to the few levels of the fabric. A subclass is found by its TypeId.
class LevelCompression : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Assigns levels. A pure function of its arguments and the attributes.
     * \param jobs those that use the network, in the order of their priorities
     * \param levels how many there are, at least 1
     * \param seed of the run
     */
    virtual CompressedLevels Compress(const std::vector<CompressibleJob>& jobs,
                                      uint32_t levels,
                                      uint64_t seed) const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_LEVEL_COMPRESSION_H
