/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SWEEP_PATH_H
#define GPU_FABRIC_SWEEP_PATH_H

#include "../document/document-node.h"

#include <string>

namespace ns3
{

/**
 * A path to a key of a scenario, such as "topology.Uplinks", "jobs.gpt.batch-per-gpu" (an entry of
 * a list by its `name`) or "faults[0].at" (an entry by its index, from 0).
 */
class SweepPath
{
  public:
    /**
     * Sets the value at a path. Its last key need not exist: the reader of the tree knows which
     * keys are valid. The levels above it must exist, except for top-level maps such as `stop`. A
     * typed block that is just a name becomes a map.
     * \param key the path as written in the file; its position becomes that of the new key
     * \returns whether the value has been set; if not, an error is reported at the key
     */
    static bool Set(DocumentNode& root,
                    const DocumentNode& key,
                    const DocumentNode& value,
                    Diagnostics& diagnostics);
};

} // namespace ns3

#endif // GPU_FABRIC_SWEEP_PATH_H
