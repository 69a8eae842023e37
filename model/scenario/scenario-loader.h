/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_LOADER_H
#define GPU_FABRIC_SCENARIO_LOADER_H

#include "../document/document-node.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads a scenario file and the files that it extends into one tree.
 *
 * `extends: base.yaml` (relative to the extending file) inherits maps key by key; lists and single
 * values are replaced. A typed block with another `type` is replaced as a whole; `compare` replaces
 * an inherited `scheduler`, and `scheduler` replaces an inherited `compare`. A key with no value or
 * an empty list removes what is inherited. An inherited list of jobs is changed by a map from their
 * names to keys: those of a known name are inherited key by key, no value removes the job, and a
 * new name adds one.
 */
class ScenarioLoader
{
  public:
    /// The version of the format that is read.
    static constexpr const char* SCHEMA = "gpu-fabric/1";

    explicit ScenarioLoader(Diagnostics& diagnostics);

    /// Reads a file; nothing if the tree is unusable, with errors in the diagnostics.
    std::optional<DocumentNode> Load(const std::string& file);

    /// The text of the file; that of the files it extends follows, each after a comment.
    const std::string& GetText() const
    {
        return m_text;
    }

  private:
    std::optional<DocumentNode> LoadOne(const std::string& file, const DocumentNode* extends);
    void Inherit(DocumentNode& node, const DocumentNode& base, bool top);
    /// Replaces a map of changes to jobs by the list of jobs that results.
    void InheritJobs(DocumentNode& jobs, const DocumentNode& base);

    Diagnostics& m_diagnostics;
    std::vector<std::string> m_open; ///< canonical paths of the files being read
    std::string m_text;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_LOADER_H
