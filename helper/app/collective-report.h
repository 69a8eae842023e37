/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_REPORT_H
#define GPU_FABRIC_COLLECTIVE_REPORT_H

#include <ostream>
#include <string>

namespace ns3
{

/// Checks and describes the MSCCL XML file of a collective algorithm.
class CollectiveReport
{
  public:
    static constexpr int OK = 0;
    static constexpr int BAD_INPUT = 2;

    /// \param out receives the description \param err receives messages, with file, line and column
    CollectiveReport(std::ostream& out, std::ostream& err);

    /**
     * Reads a file, proves it and, by default, describes it.
     * \param file MSCCL XML file
     * \param check only check it
     * \returns exit status: OK or BAD_INPUT
     */
    int Run(const std::string& file, bool check);

  private:
    std::ostream& m_out;
    std::ostream& m_err;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_REPORT_H
