/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_REFERENCE_H
#define GPU_FABRIC_RESULT_REFERENCE_H

#include <ostream>

namespace ns3
{

/// Writes the reference of the views and tables of every database as reStructuredText:
/// doc/results-reference.rst.
void WriteResultReference(std::ostream& os);

/// Writes a section on the tables that other recorders add, including those of a user's program.
void WriteRecorderReference(std::ostream& os);

} // namespace ns3

#endif // GPU_FABRIC_RESULT_REFERENCE_H
