/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_TREE_READER_H
#define GPU_FABRIC_SCENARIO_TREE_READER_H

#include "../document/document-table.h"
#include "scenario.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Checks the model or the steps of a job, which are known to a higher layer. It is called for jobs
 * without other errors. Returns a sentence without a full stop, or nothing if the job is valid, and
 * sets the key of the job that it concerns ("model", "sequence", ...).
 */
using ScenarioModelCheck = std::function<std::string(const JobSpec& job, std::string& key)>;

/// Reads the tree of one scenario, without a sweep, into values and checks them.
class ScenarioTreeReader
{
  public:
    /**
     * \param context receives errors, and holds attributes that override those of typed blocks
     * \param check of models; null: every model is accepted
     */
    ScenarioTreeReader(const DocumentContext& context, const ScenarioModelCheck& check);

    /// The top-level keys of a scenario.
    static const DocumentTable<Scenario>& GetKeys();

    /**
     * Reads a tree.
     * \param file of the scenario, for its name
     * \param text of the file and those that it extends
     * \returns nothing if there is an error
     */
    std::optional<Scenario> Read(const DocumentNode& root,
                                 const std::string& file,
                                 const std::string& text);

  private:
    /// Names of jobs as written, and the names of the jobs that they refer to.
    using Names = std::map<std::string, std::vector<std::string>>;

    /// \returns whether there is a graph
    bool ReadTopology(const DocumentBlock& top, Scenario& scenario);
    bool ReadHost(const DocumentBlock& top, Scenario& scenario);
    void ReportTopology(const DocumentBlock& top,
                        const Scenario& scenario,
                        const std::vector<TopologyFault>& faults);
    /// Puts the defaults of `hardware:` before those of the file. \returns the algorithm of jobs
    /// that name none
    TypedBlock ApplyHardware(const DocumentBlock& top, Scenario& scenario);
    void ReadSchedulers(const DocumentBlock& top, Scenario& scenario);
    void ReadRecord(const DocumentBlock& top, Scenario& scenario, bool graphGood);
    /// `{type: QueueLength, Interval: 10us}`, or just the name.
    void ReadRecorder(const DocumentNode& node, const std::string& path, RecordSpec& record);
    void CheckPcap(const DocumentNode& pcap,
                   const std::string& path,
                   const ClusterTopology& graph) const;
    /// \returns false where there are too many
    bool ReadJobs(const DocumentBlock& top,
                  Scenario& scenario,
                  const ClusterTopology* graph,
                  Names& written);
    void CheckModel(const JobSpec& job);

    DocumentContext m_context;
    const ScenarioModelCheck& m_check;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_TREE_READER_H
