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
 * Judges the model or the steps of a job, which a higher layer knows. It is asked about jobs that
 * are right in themselves. Returns a sentence without a full stop, or nothing if the job is fine,
 * and sets the key of the job that it concerns ("model", "sequence", ...).
 */
using ScenarioModelCheck = std::function<std::string(const JobSpec& job, std::string& key)>;

/// Reads the tree of one scenario, without a sweep, into values and checks it.
class ScenarioTreeReader
{
  public:
    /**
     * \param context where errors go, and attributes that beat those of typed blocks
     * \param check of models; null: every model is accepted
     */
    ScenarioTreeReader(const DocumentContext& context, const ScenarioModelCheck& check);

    /// The keys at the top of a scenario.
    static const DocumentTable<Scenario>& GetKeys();

    /**
     * Reads a tree.
     * \param file of the scenario, for its name
     * \param text of the file and those that it extends
     * \returns nothing where there is an error
     */
    std::optional<Scenario> Read(const DocumentNode& root,
                                 const std::string& file,
                                 const std::string& text);

  private:
    /// Names of jobs as written, and those of the jobs that they stand for.
    using Names = std::map<std::string, std::vector<std::string>>;

    /// \returns whether there is a graph
    bool ReadTopology(const DocumentBlock& top, Scenario& scenario);
    bool ReadHost(const DocumentBlock& top, Scenario& scenario);
    void ReportTopology(const DocumentBlock& top,
                        const Scenario& scenario,
                        const std::vector<std::string>& errors);
    void ReadSchedulers(const DocumentBlock& top, Scenario& scenario);
    void ReadRecord(const DocumentBlock& top, Scenario& scenario, bool graphGood);
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
