/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_READER_H
#define GPU_FABRIC_SCENARIO_READER_H

#include "scenario-sweep.h"
#include "scenario-tree-reader.h"

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Reads a scenario file into values and checks it. Nothing is simulated; the graph of the cluster
 * is generated, because names in the file are checked against it.
 *
 * Invalid input never aborts: all errors are reported together in the diagnostics, each with its
 * position. Types of topologies, placements and schedulers are found by TypeId and must be linked.
 */
class ScenarioReader
{
  public:
    using ModelCheck = ScenarioModelCheck;

    explicit ScenarioReader(Diagnostics& diagnostics);

    /// The keys of a scenario file.
    static const BlockKeys& GetKeys();
    /// Prints the keys as a JSON Schema, for editors.
    static void PrintSchema(std::ostream& os);
    /// Prints the keys as a page of reStructuredText, doc/scenario-reference.rst.
    static void PrintReference(std::ostream& os);
    /// Sets the check of jobs' models; without one, every model is accepted.
    void SetModelCheck(ModelCheck check);
    /// Sets which attributes the command line has set, as "ns3::Class::Attribute"; they override
    /// those of typed blocks.
    void SetOverridden(std::vector<std::string> attributes);
    /**
     * Reads a file; nothing if there is an error.
     * \param point of its sweep, counted from 0; if absent, a scenario with a sweep is checked, but
     *        still reported as an error
     */
    std::optional<Scenario> Read(const std::string& file,
                                 const std::optional<uint64_t>& point = std::nullopt);

    /// Whether a file, or one that it extends, has a sweep; false if it cannot be read.
    static bool HasSweep(const std::string& file);

    /// Called with each valid point of a sweep; further errors are added to the diagnostics.
    using PointCheck =
        std::function<void(std::size_t point, Scenario& scenario, Diagnostics& diagnostics)>;

    /**
     * Reads the sweep of a file and all its points; of points that differ only in the seed, only
     * the first. Errors name the point unless all points have them.
     * \param check may be null
     * \returns nothing if there is no sweep or a point has an error
     */
    std::optional<ScenarioSweep> ReadSweep(const std::string& file, const PointCheck& check);
    /// Reads a file without checking models.
    static std::optional<Scenario> Read(const std::string& file, Diagnostics& diagnostics);

  private:
    std::optional<Scenario> ReadTree(const DocumentNode& root,
                                     const std::string& file,
                                     const std::string& text);
    std::optional<Scenario> ReadPoint(const ScenarioSweep& sweep,
                                      std::size_t point,
                                      const std::string& file);
    bool CheckPoints(const ScenarioSweep& sweep, const std::string& file, const PointCheck& check);
    Diagnostics& m_diagnostics;
    ModelCheck m_modelCheck;
    std::vector<std::string> m_overridden;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_READER_H
