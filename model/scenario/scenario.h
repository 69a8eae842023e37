/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_H
#define GPU_FABRIC_SCENARIO_H

#include "../fabric/fault-spec.h"
#include "../rdma/flow-spec.h"
#include "../results/record-spec.h"

#include "ns3/cluster-topology.h"
#include "ns3/enum-names.h"
#include "ns3/job-spec.h"
#include "ns3/typed-block.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What ends a run.
enum class StopCondition : uint8_t
{
    ALL_JOBS_DONE, ///< the end of all jobs and flows, or the time where one is given
    TIME
};

template <>
struct EnumNames<StopCondition>
{
    static constexpr EnumName<StopCondition> TABLE[] = {
        {StopCondition::ALL_JOBS_DONE, "all-jobs-done"},
        {StopCondition::TIME, "time"}};
};

/// Paths on which each job is run alone, too.
enum class SoloPaths : uint8_t
{
    NONE,     ///< it is not
    SELECTED, ///< the best ones for it
    ECMP      ///< those that ECMP gives it
};

template <>
struct EnumNames<SoloPaths>
{
    static constexpr EnumName<SoloPaths> TABLE[] = {{SoloPaths::NONE, "false"},
                                                    {SoloPaths::SELECTED, "true"},
                                                    {SoloPaths::ECMP, "ecmp"}};
};

/// A whole scenario file as values: checked, located, no simulator needed.
struct Scenario
{
    std::string file; ///< as given on the command line
    std::string text; ///< the whole text, then that of extended files; stored in the database
    /// Those of runs that are to be compared are the same: the text, of a point of a sweep without
    /// its scheduler and seed.
    std::string commonText;
    std::string name;
    uint64_t seed{1};
    SoloPaths solo{SoloPaths::NONE};
    StopCondition stopWhen{StopCondition::ALL_JOBS_DONE};
    int64_t stopPs{0}; ///< stop: {time}; 0: no limit [ps]
    MeasureSpec measure;
    TypedBlock topology;
    TypedBlock host;        ///< no type: the inside of hosts is not modelled
    ClusterTopology graph;  ///< generated from `topology` and `host`
    std::string bottleneck; ///< directed link name or empty
    std::vector<AttributeSetting> defaults;
    std::vector<JobSpec> jobs;
    std::vector<FlowSpec> flows;
    std::vector<FaultSpec> faults;
    TypedBlock placement{"Consolidate", "ns3::ConsolidatePlacement", {}, {}};
    std::vector<TypedBlock> schedulers; ///< one, or those of `compare:`; default None
    RecordSpec record;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_H
