/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LOGICAL_PROCESS_SERVER_H
#define GPU_FABRIC_LOGICAL_PROCESS_SERVER_H

#include "../engine/parallel/rank-link.h"
#include "logical-process.h"
#include "remote-logical-process.h"

#include <functional>
#include <memory>
#include <string>

namespace ns3
{

/// Has parts of fabrics, one after the other, for the simulator of rank 0, which has a
/// RemoteLogicalProcess for each.
class LogicalProcessServer
{
  public:
    /// Makes the part of a run. \param [out] fault why it cannot, if it gives none
    using Builder =
        std::function<std::unique_ptr<LogicalProcess>(uint32_t run, std::string& fault)>;

    LogicalProcessServer(RankLink& link, Builder build);
    /// Does what rank 0 asks, until no run will follow.
    void Serve();

  private:
    /// \returns whether there is an answer to be sent
    bool Do(const LogicalProcessRequest& request);
    void Build(uint32_t run);

    RankLink& m_link;
    Builder m_build;
    std::unique_ptr<LogicalProcess> m_part;
    RankBuffer m_buffer;
};

} // namespace ns3

#endif // GPU_FABRIC_LOGICAL_PROCESS_SERVER_H
