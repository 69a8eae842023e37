/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_H
#define GPU_FABRIC_SCENARIO_H

#include "../fabric/fault-spec.h"
#include "../rdma/flow-spec.h"
#include "../results/record-spec.h"

#include "ns3/cluster-topology.h"
#include "ns3/job-spec.h"
#include "ns3/typed-block.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

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
    /// Runs each job alone too: on "selected" paths, or on those that "ecmp" gives it; empty: no.
    std::string solo;
    bool stopWhenJobsDone{true}; ///< stop: {when: all-jobs-done}; flows count as jobs
    int64_t stopPs{0};           ///< stop: {time}; 0: no limit [ps]
    MeasureSpec measure;
    TypedBlock topology;
    TypedBlock host;        ///< no type: the inside of hosts is not modelled
    ClusterTopology graph;  ///< generated from `topology` and `host`
    std::string bottleneck; ///< directed link name or empty
    std::vector<AttributeSetting> defaults;
    std::vector<JobSpec> jobs;
    std::vector<FlowSpec> flows;
    std::vector<FaultSpec> faults;
    TypedBlock placement;               ///< default Consolidate
    std::vector<TypedBlock> schedulers; ///< one, or those of `compare:`; default None
    RecordSpec record;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_H
