/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_SWEEP_H
#define GPU_FABRIC_SCENARIO_SWEEP_H

#include "../document/document-node.h"
#include "../document/value-shape.h"
#include "input-digests.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A parameter that a sweep varies.
struct SweepAxis
{
    std::string name;                 ///< "scheduler", "placement", "seed", or a path of `set:`
    DocumentNode key;                 ///< as written, for its position
    std::vector<DocumentNode> values; ///< one or more
    std::vector<std::string> labels;  ///< of the values, all different
};

/**
 * The block `sweep:` of a scenario: a grid of points, each of them a complete scenario.
 *
 * The points are the product of the axes in the order in which they are written, with the axes of
 * `set:` in its place; the last axis varies fastest, and the seed fastest of all. A point is the
 * tree of the file (and of those it extends) with the values of the axes inserted: they keep their
 * positions in the file, so that errors in a point are reported where they are written.
 */
class ScenarioSweep
{
  public:
    static constexpr std::size_t MAX_POINTS = 10'000;

    /// The keys of the block.
    static const BlockKeys& GetKeys();

    /**
     * Reads the block; every problem is reported as an error in the diagnostics.
     * \param root the tree of a scenario, as returned by DocumentLoader
     * \returns nothing if there is an error or no such block
     */
    static std::optional<ScenarioSweep> Read(const DocumentNode& root, Diagnostics& diagnostics);

    const std::vector<SweepAxis>& GetAxes() const
    {
        return m_axes;
    }

    std::size_t GetPointCount() const;
    /// Number of points that differ only in the seed; they are consecutive.
    std::size_t GetSeedCount() const;
    /// (axis, label) of a point, counted from 0.
    std::vector<std::pair<std::string, std::string>> GetValues(std::size_t point) const;
    /// "scheduler=None, topology.Uplinks=4, seed=1".
    std::string GetLabel(std::size_t point) const;

    /**
     * The tree of a point, without `sweep` and `extends`.
     * \returns nothing if a path of `set:` does not exist, which is reported in the diagnostics
     */
    std::optional<DocumentNode> GetTree(std::size_t point, Diagnostics& diagnostics) const;

    /// The complete text of a point: its tree as YAML, and a digest of every file that it names.
    std::string GetText(const DocumentNode& tree) const;
    /// The same without scheduler and seed; points with equal texts are compared with each other.
    std::string GetCommonText(const DocumentNode& tree) const;

  private:
    /// The index of the value on each axis.
    std::vector<std::size_t> GetIndices(std::size_t point) const;

    DocumentNode m_base; ///< the tree without `sweep` and `extends`
    std::vector<SweepAxis> m_axes;
    InputDigests m_digests;
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_SWEEP_H
