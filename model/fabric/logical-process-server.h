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

/// Runs logical processes of fabrics, one after the other, for the simulator of rank 0, which has a
/// RemoteLogicalProcess for each.
class LogicalProcessServer
{
  public:
    /// Creates the logical process of a run. \param [out] fault the reason if it returns none
    using Builder =
        std::function<std::unique_ptr<LogicalProcess>(uint32_t run, std::string& fault)>;

    LogicalProcessServer(RankLink& link, Builder build);
    /// Serves the requests of rank 0 until no run will follow.
    void Serve();

  private:
    /// Serves a request. \returns whether there is an answer to send
    bool Do(const LogicalProcessRequest& request);
    void Build(uint32_t run);

    RankLink& m_link;
    Builder m_build;
    std::unique_ptr<LogicalProcess> m_process;
    RankBuffer m_buffer;
};

} // namespace ns3

#endif // GPU_FABRIC_LOGICAL_PROCESS_SERVER_H
