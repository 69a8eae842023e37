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
 * Bad input never aborts: every problem is an error with its place in the diagnostics, all of them
 * at once. Types of topologies, placements and schedulers are found by TypeId and must be linked.
 */
class ScenarioReader
{
  public:
    using ModelCheck = ScenarioModelCheck;

    explicit ScenarioReader(Diagnostics& diagnostics);

    /// The keys of a scenario file.
    static const BlockKeys& GetKeys();
    /// Prints them as a JSON Schema, for editors.
    static void PrintSchema(std::ostream& os);
    /// Prints them as a page of reStructuredText, doc/scenario-reference.rst.
    static void PrintReference(std::ostream& os);
    /// Sets the check of jobs' models; without one, every model is accepted.
    void SetModelCheck(ModelCheck check);
    /// Sets which attributes the command line has set, as "ns3::Class::Attribute": they beat those
    /// of typed blocks.
    void SetOverridden(std::vector<std::string> attributes);
    /**
     * Reads a file; nothing where there is an error.
     * \param point of its sweep, counted from 0; without one, a scenario with a sweep is checked,
     *        and is an error all the same
     */
    std::optional<Scenario> Read(const std::string& file,
                                 const std::optional<uint64_t>& point = std::nullopt);

    /// Whether a file, or one that it extends, has a sweep; false where it cannot be read.
    static bool HasSweep(const std::string& file);

    /// Called with a point of a sweep that can be read, and where to report what else is wrong.
    using PointCheck =
        std::function<void(std::size_t point, Scenario& scenario, Diagnostics& diagnostics)>;

    /**
     * Reads the sweep of a file and all its points; of those that differ in the seed only, the
     * first. Errors name the point where not all points have them.
     * \param check may be null
     * \returns nothing where there is no sweep, or where a point has an error
     */
    std::optional<ScenarioSweep> ReadSweep(const std::string& file, const PointCheck& check);
    /// Reads a file without a check of models.
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
