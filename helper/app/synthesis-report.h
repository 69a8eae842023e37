/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SYNTHESIS_REPORT_H
#define GPU_FABRIC_SYNTHESIS_REPORT_H

#include "../../model/collective/taccl/milp-solver.h"
#include "../../model/collective/taccl/taccl-synthesizer.h"

#include "ns3/collective-schedule.h"

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Synthesizes a collective from TACCL files, writes it as MSCCL XML and describes it.
class SynthesisReport
{
  public:
    static constexpr int OK = 0;
    static constexpr int BAD_INPUT = 2;
    static constexpr int WRITE_FAILED = 4;

    /// Options as written on the command line.
    struct Settings
    {
        std::string topology; ///< TACCL topology file
        std::string sketch;   ///< TACCL sketch file
        std::string collective{"allgather"};
        std::string size;              ///< larger buffer of a rank; empty: chunks of chunkSize
        std::string chunkSize{"1MiB"}; ///< to which the topology's betas refer
        std::string timeUnit{"1us"};   ///< of the topology's times
        std::string solver{"auto"};
        std::string timeLimit{"60s"};
        std::string paths{"auto"};
        std::string output; ///< MSCCL XML file; empty: none
    };

    /// \param out receives the description \param err receives messages
    SynthesisReport(std::ostream& out, std::ostream& err);

    /// \returns exit status: OK, BAD_INPUT or WRITE_FAILED
    int Run(const Settings& settings);

    /// "allgather", "reduce_scatter", "allreduce" and "alltoall", or with other dashes; none if it
    /// is not one of these.
    static std::optional<CollectiveOperation> ParseOperation(const std::string& text);

  private:
    /// Parsed settings.
    struct Parsed
    {
        CollectiveOperation operation{CollectiveOperation::ALL_GATHER};
        uint64_t bytes{0}; ///< 0: derived from chunkBytes
        uint64_t chunkBytes{0};
        int64_t unitPs{0};
        int64_t limitPs{0};
    };

    void Error(const std::string& what);
    /// Reports what cannot be parsed. \returns whether all can
    bool Parse(const Settings& settings, Parsed& parsed);
    void Print(const TacclSynthesis& synthesis, uint64_t bytes);
    /// Prints a row of two columns.
    void PrintRow(const std::string& key, const std::string& value);

    std::ostream& m_out;
    std::ostream& m_err;
    bool m_good{true};
};

} // namespace ns3

#endif // GPU_FABRIC_SYNTHESIS_REPORT_H
