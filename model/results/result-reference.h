/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RESULT_REFERENCE_H
#define GPU_FABRIC_RESULT_REFERENCE_H

#include <ostream>

namespace ns3
{

/// Writes the reference of all views and tables, those of recorders included, as reStructuredText:
/// doc/results-reference.rst.
void WriteResultReference(std::ostream& os);

} // namespace ns3

#endif // GPU_FABRIC_RESULT_REFERENCE_H
