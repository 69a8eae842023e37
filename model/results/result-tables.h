/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_TABLES_H
#define GPU_FABRIC_RESULT_TABLES_H

#include "result-rows.h"

#include "ns3/result-table.h"

#include <vector>

namespace ns3
{

/// The table of a row type, declared in result-tables.cc.
template <class Row>
const ResultTable<Row>& GetResultTable();

template <>
const ResultTable<RunRow>& GetResultTable<RunRow>();
template <>
const ResultTable<ParameterRow>& GetResultTable<ParameterRow>();
template <>
const ResultTable<InvariantRow>& GetResultTable<InvariantRow>();
template <>
const ResultTable<ImportSummaryRow>& GetResultTable<ImportSummaryRow>();
template <>
const ResultTable<NodeRow>& GetResultTable<NodeRow>();
template <>
const ResultTable<LinkRow>& GetResultTable<LinkRow>();
template <>
const ResultTable<JobRow>& GetResultTable<JobRow>();
template <>
const ResultTable<JobEventRow>& GetResultTable<JobEventRow>();
template <>
const ResultTable<GpuAllocationRecord>& GetResultTable<GpuAllocationRecord>();
template <>
const ResultTable<GpuFailureRecord>& GetResultTable<GpuFailureRecord>();
template <>
const ResultTable<IterationRow>& GetResultTable<IterationRow>();
template <>
const ResultTable<SpanRecord>& GetResultTable<SpanRecord>();
template <>
const ResultTable<JobUtilizationRow>& GetResultTable<JobUtilizationRow>();
template <>
const ResultTable<JobWindowRow>& GetResultTable<JobWindowRow>();
template <>
const ResultTable<CollectiveRecord>& GetResultTable<CollectiveRecord>();
template <>
const ResultTable<DecisionRecord>& GetResultTable<DecisionRecord>();
template <>
const ResultTable<QueuePairRow>& GetResultTable<QueuePairRow>();
template <>
const ResultTable<QueuePairChangeRow>& GetResultTable<QueuePairChangeRow>();
template <>
const ResultTable<TransferRow>& GetResultTable<TransferRow>();
template <>
const ResultTable<JobLinkCounters>& GetResultTable<JobLinkCounters>();
template <>
const ResultTable<LinkSampleRow>& GetResultTable<LinkSampleRow>();
template <>
const ResultTable<LinkWindowRow>& GetResultTable<LinkWindowRow>();
template <>
const ResultTable<BottleneckRow>& GetResultTable<BottleneckRow>();
template <>
const ResultTable<PauseRecord>& GetResultTable<PauseRecord>();
template <>
const ResultTable<FabricEventRow>& GetResultTable<FabricEventRow>();
template <>
const ResultTable<CampaignRow>& GetResultTable<CampaignRow>();

/// The tables of every result database, in order of creation.
const std::vector<const TableSpec*>& GetResultTables();

} // namespace ns3

#endif // GPU_FABRIC_RESULT_TABLES_H
