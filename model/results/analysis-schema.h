/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_ANALYSIS_SCHEMA_H
#define GPU_FABRIC_ANALYSIS_SCHEMA_H

namespace ns3
{

/// The views of distributions (iterations, transfers) and of who met whom, as SQL statements, after
/// the tables.
const char* GetAnalysisSchema();

} // namespace ns3

#endif // GPU_FABRIC_ANALYSIS_SCHEMA_H
