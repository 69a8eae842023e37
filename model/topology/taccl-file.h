/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_FILE_H
#define GPU_FABRIC_TACCL_FILE_H

#include "../document/document-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The contents of a TACCL topology file (Shah et al., NSDI 2023; taccl/examples/topo) for one
/// host. Times are in the unit of the file.
struct TacclFile
{
    std::string name;
    uint32_t gpus{0};
    uint32_t nics{0};
    double alpha{0};                        ///< latency of a link inside
    double remoteAlpha{0};                  ///< latency of a link between hosts
    double remoteBeta{0};                   ///< time per chunk of a link between hosts
    double remoteInvbw{0};                  ///< the sum of both
    std::vector<const DocumentNode*> betas; ///< time per chunk, by kind of link inside
    std::vector<const DocumentNode*> costs; ///< the same with latency

    /// The keys of such a file. The matrices `links`, `betas` and `invbws` are read by their users.
    static const DocumentTable<TacclFile>& GetKeys();
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_FILE_H
