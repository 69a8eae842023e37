/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_FILE_H
#define GPU_FABRIC_TACCL_FILE_H

#include "../document/document-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What a TACCL topology file says (Shah et al., NSDI 2023; taccl/examples/topo), of one host.
/// Times are in the unit of the file.
struct TacclFile
{
    std::string name;
    uint32_t gpus{0};
    uint32_t nics{0};
    double alpha{0};                        ///< latency of a link inside
    double remoteAlpha{0};                  ///< latency of a link between hosts
    double remoteBeta{0};                   ///< time a chunk of a link between hosts
    double remoteInvbw{0};                  ///< the sum of both
    std::vector<const DocumentNode*> betas; ///< time a chunk, by kind of link inside
    std::vector<const DocumentNode*> costs; ///< the same with latency

    /// The keys of such a file. `links`, `betas` and `invbws`, matrices, are read by who uses them.
    static const DocumentTable<TacclFile>& GetKeys();
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_FILE_H
