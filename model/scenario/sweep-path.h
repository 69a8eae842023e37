/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SWEEP_PATH_H
#define GPU_FABRIC_SWEEP_PATH_H

#include "../document/document-node.h"

#include <string>

namespace ns3
{

/**
 * A path to a key of a scenario, such as "topology.Uplinks", "jobs.gpt.batch-per-gpu" (an entry of
 * a list by its `name`) or "faults[0].at" (by its number, from 0).
 */
class SweepPath
{
  public:
    /**
     * Sets the value at a path. Its last key need not be there: whoever reads the tree knows which
     * keys there can be. What lies above must be, but for the maps at the top such as `stop`. A
     * typed block that is just a name becomes a map.
     * \param key the path as written in the file, which gives its place to the new key
     * \returns whether it has been set; if not, there is an error at the key
     */
    static bool Set(DocumentNode& root,
                    const DocumentNode& key,
                    const DocumentNode& value,
                    Diagnostics& diagnostics);
};

} // namespace ns3

#endif // GPU_FABRIC_SWEEP_PATH_H
