/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_VIEW_SPEC_H
#define GPU_FABRIC_VIEW_SPEC_H

#include <string>
#include <vector>

namespace ns3
{

/// A column of a view. A test checks that the query yields columns of these names in this order.
struct ViewColumn
{
    std::string name;
    std::string help; ///< meaning; may be empty
};

/// A view of the result database.
struct ViewSpec
{
    std::string name;
    std::string help;
    std::vector<ViewColumn> columns;
    std::string query; ///< SQL

    /// The CREATE VIEW statement.
    std::string GetCreateStatement() const;
};

} // namespace ns3

#endif // GPU_FABRIC_VIEW_SPEC_H
