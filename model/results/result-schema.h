/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_SCHEMA_H
#define GPU_FABRIC_RESULT_SCHEMA_H

namespace ns3
{

/**
 * Tables and views of a result database, as SQL.
 *
 * Tables are STRICT and WITHOUT ROWID with a key made of what the row is about, so that rows lie
 * in the file in the order of their content. Times are [ps] from the start of the simulation
 * (`_ps`), sizes [byte] (`bytes`), rates [bit/s] (`_bps`). Views speak of seconds and fractions
 * and are the stable interface.
 */
const char* GetResultSchema();

} // namespace ns3

#endif // GPU_FABRIC_RESULT_SCHEMA_H
