/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LOGICAL_PROCESS_CODEC_H
#define GPU_FABRIC_LOGICAL_PROCESS_CODEC_H

#include "../engine/parallel/rank-buffer.h"
#include "logical-process.h"

namespace ns3
{

/// How what parts of a fabric tell crosses from rank to rank.
class LogicalProcessCodec
{
  public:
    static void Put(RankBuffer& buffer, const FrameBatch& batch);
    /// Takes frames; what is in the batch stays, before the new.
    static void Take(RankBuffer& buffer, FrameBatch& batch);
    /// Puts a report and empties its lists.
    static void Put(RankBuffer& buffer, LogicalProcessReport& report);
    /// Takes a report; what its lists have stays, before the new.
    static void Take(RankBuffer& buffer, LogicalProcessReport& report);
    static void Put(RankBuffer& buffer, const FabricReadings& readings);
    static FabricReadings TakeReadings(RankBuffer& buffer);
    static void Put(RankBuffer& buffer, const FabricAudit& audit);
    static FabricAudit TakeAudit(RankBuffer& buffer);
    static void Put(RankBuffer& buffer, const PauseSnapshot& snapshot);
    /// Adds what another part has found.
    static void Take(RankBuffer& buffer, PauseSnapshot& snapshot);
};

} // namespace ns3

#endif // GPU_FABRIC_LOGICAL_PROCESS_CODEC_H
