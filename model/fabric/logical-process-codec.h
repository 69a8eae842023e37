/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_LOGICAL_PROCESS_CODEC_H
#define GPU_FABRIC_LOGICAL_PROCESS_CODEC_H

#include "../engine/parallel/rank-buffer.h"
#include "logical-process.h"

namespace ns3
{

/// Encodes what logical processes of a fabric exchange between ranks.
class LogicalProcessCodec
{
  public:
    static void Put(RankBuffer& buffer, const FrameBatch& batch);
    /// Reads frames and appends them to those in the batch.
    static void Take(RankBuffer& buffer, FrameBatch& batch);
    /// Writes a report and empties its lists.
    static void Put(RankBuffer& buffer, LogicalProcessReport& report);
    /// Reads a report and appends to its lists.
    static void Take(RankBuffer& buffer, LogicalProcessReport& report);
    static void Put(RankBuffer& buffer, const FabricReadings& readings);
    static FabricReadings TakeReadings(RankBuffer& buffer);
    static void Put(RankBuffer& buffer, const FabricAudit& audit);
    static FabricAudit TakeAudit(RankBuffer& buffer);
    static void Put(RankBuffer& buffer, const PauseSnapshot& snapshot);
    /// Adds the findings of another logical process.
    static void Take(RankBuffer& buffer, PauseSnapshot& snapshot);
};

} // namespace ns3

#endif // GPU_FABRIC_LOGICAL_PROCESS_CODEC_H
