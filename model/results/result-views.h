/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_VIEWS_H
#define GPU_FABRIC_RESULT_VIEWS_H

#include "view-spec.h"

#include <string>
#include <vector>

namespace ns3
{

/// The views of every result database, in order of creation.
std::vector<ViewSpec> GetResultViews();

/**
 * Tables and views of every result database, as SQL.
 *
 * Tables are STRICT and WITHOUT ROWID with a key made of the row's subject, so that the file stores
 * rows in the order of their content. Times are [ps] from the start of the simulation (`_ps`),
 * sizes [byte] (`bytes`), rates [bit/s] (`_bps`). Views give seconds and fractions and are the
 * stable interface.
 */
std::string GetResultSchema();

} // namespace ns3

#endif // GPU_FABRIC_RESULT_VIEWS_H
