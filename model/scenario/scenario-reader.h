/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_READER_H
#define GPU_FABRIC_SCENARIO_READER_H

#include "scenario-block.h"
#include "scenario.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads a scenario file into values and checks it. Nothing is simulated; the graph of the cluster
 * is generated, because names in the file are checked against it.
 *
 * Bad input never aborts: every problem is an error with its place in the diagnostics, all of them
 * at once. Types of topologies, placements and schedulers are found by TypeId and must be linked.
 */
class ScenarioReader
{
  public:
    /**
     * Judges the model or the steps of a job, which a higher layer knows. It is asked about jobs
     * that are right in themselves. Returns a sentence without a full stop, or nothing if the job
     * is fine, and sets the key of the job that it concerns ("model", "sequence", ...).
     */
    using ModelCheck = std::function<std::string(const JobSpec& job, std::string& key)>;

    explicit ScenarioReader(ScenarioDiagnostics& diagnostics);

    /// Sets the check of jobs' models; without one, every model is accepted.
    void SetModelCheck(ModelCheck check);
    /// Sets which attributes the command line has set, as "ns3::Class::Attribute": they beat those
    /// of typed blocks.
    void SetOverridden(std::vector<std::string> attributes);
    /// Reads a file; nothing where there is an error.
    std::optional<Scenario> Read(const std::string& file);
    /// Reads a file without a check of models.
    static std::optional<Scenario> Read(const std::string& file, ScenarioDiagnostics& diagnostics);

  private:
    void ReadStop(const ScenarioBlock& top, Scenario& scenario);
    void ReadMeasure(const ScenarioBlock& top, Scenario& scenario);
    /// \returns whether there is a graph
    bool ReadTopology(const ScenarioBlock& top, Scenario& scenario);
    bool ReadHost(const ScenarioBlock& top, Scenario& scenario);
    void ReportTopology(const ScenarioBlock& top,
                        const Scenario& scenario,
                        const std::vector<std::string>& errors);
    void ReadSchedulers(const ScenarioBlock& top, Scenario& scenario);
    void ReadRecord(const ScenarioBlock& top, Scenario& scenario, bool graphGood);
    void ReadPcap(const ScenarioNode& node,
                  const std::string& path,
                  const Scenario& scenario,
                  bool graphGood,
                  RecordSpec& record);
    void CheckModel(const JobSpec& job);

    ScenarioDiagnostics& m_diagnostics;
    ModelCheck m_modelCheck;
    std::vector<std::string> m_overridden;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_READER_H
