/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_H
#define GPU_FABRIC_SCENARIO_H

#include "../base/typed-block.h"
#include "../fabric/fault-spec.h"
#include "../rdma/flow-spec.h"
#include "../results/record-spec.h"
#include "../workload/job-spec.h"
#include "../workload/program/imported-workload.h"

#include "ns3/cluster-topology.h"
#include "ns3/enum-names.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What ends a run.
enum class StopCondition : uint8_t
{
    ALL_JOBS_DONE, ///< the end of all jobs and flows, or the time if one is given
    TIME
};

template <>
struct EnumNames<StopCondition>
{
    static constexpr EnumName<StopCondition> TABLE[] = {
        {StopCondition::ALL_JOBS_DONE, "all-jobs-done"},
        {StopCondition::TIME, "time"}};
};

/// Paths on which each job is also run alone.
enum class SoloPaths : uint8_t
{
    NONE,     ///< jobs are not run alone
    SELECTED, ///< the best ones for the job
    ECMP      ///< those that ECMP selects
};

template <>
struct EnumNames<SoloPaths>
{
    static constexpr EnumName<SoloPaths> TABLE[] = {{SoloPaths::NONE, "false"},
                                                    {SoloPaths::SELECTED, "true"},
                                                    {SoloPaths::ECMP, "ecmp"}};
};

/// A complete scenario file as values: checked, with source positions, independent of the
/// simulator.
struct Scenario
{
    std::string file; ///< as given on the command line
    std::string text; ///< the complete text, then that of extended files; stored in the database
    /// The same for runs that are comparable: the text, for a point of a sweep without its
    /// scheduler and seed; and a digest of every file that the scenario names.
    std::string commonText;
    std::string name;
    uint64_t seed{1};
    SoloPaths solo{SoloPaths::NONE};
    StopCondition stopWhen{StopCondition::ALL_JOBS_DONE};
    int64_t stopPs{0}; ///< stop: {time}; 0: no limit [ps]
    MeasureSpec measure;
    TypedBlock topology;
    TypedBlock host;                        ///< no type: the inside of hosts is not modelled
    ClusterTopology graph;                  ///< generated from `topology` and `host`
    std::string bottleneck;                 ///< directed link name or empty
    std::string hardware;                   ///< preset; empty: none
    std::vector<AttributeSetting> defaults; ///< those of the preset that the file leaves, its own
    std::vector<JobSpec> jobs;
    std::vector<ImportCount> imports; ///< what of imported files was used, each kind once
    std::vector<FlowSpec> flows;
    std::vector<FaultSpec> faults;
    TypedBlock placement{"Consolidate", "ns3::ConsolidatePlacement", {}, {}};
    std::vector<TypedBlock> schedulers; ///< one, or those of `compare:`; default None
    RecordSpec record;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_H
