/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_CHECKER_H
#define GPU_FABRIC_SCENARIO_CHECKER_H

#include "../document/document-node.h"
#include "scenario.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Performs the checks that concern more than one part of a scenario, and resolves names of jobs
 * with `count` to those of their instances.
 */
class ScenarioChecker
{
  public:
    /**
     * \param root the tree the scenario was read from, for the positions of values
     * \param unknown whether it has an unknown top-level key
     */
    ScenarioChecker(Diagnostics& diagnostics, const DocumentNode& root, bool unknown);

    /**
     * Adds the errors of a scenario.
     * \param written names of jobs as written and the jobs they refer to
     * \param graphGood whether the scenario's graph could be created
     */
    void Check(Scenario& scenario,
               const std::map<std::string, std::vector<std::string>>& written,
               bool graphGood);

  private:
    using Names = std::map<std::string, std::vector<std::string>>;

    void CheckJobNames(const Scenario& scenario);
    void CheckUntil(const Scenario& scenario, const Names& written);
    void CheckMeasure(Scenario& scenario, const Names& written);
    void CheckBottleneck(const Scenario& scenario);
    void CheckStop(const Scenario& scenario);
    void CheckEcn(const Scenario& scenario);
    /// Position of a value by its keys; that of the nearest enclosing map if the value is absent.
    SourceMark GetMark(const std::vector<std::string>& keys) const;

    Diagnostics& m_diagnostics;
    const DocumentNode& m_root;
    bool m_unknown;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_CHECKER_H
