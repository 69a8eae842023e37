/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_LOG_H
#define GPU_FABRIC_RUN_LOG_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Facts about wall-clock time, `<output>.log`: they differ between runs of the same scenario, so
 * they are kept out of the database.
 */
class RunLog
{
  public:
    /// \param version of this module
    explicit RunLog(const std::string& version);

    /// A run starts. \param label e.g. "run 1, Crux"
    void StartRun(const std::string& label);
    /// The run has ended.
    void EndRun(uint64_t events, uint64_t packetHops);

    /// The runs, then the whole program up to the end of the last one: its CPU time and its peak
    /// memory.
    std::string GetText() const;
    /// Writes `<output>.log`. \throws ResultWriteError
    void Write(const std::string& output) const;

  private:
    struct Run
    {
        std::string label;
        double wallS{0}; ///< [s]; the start until the run has ended
        double cpuS{0};  ///< [s]; likewise
        uint64_t events{0};
        uint64_t packetHops{0};
    };

    std::string m_version;
    std::vector<Run> m_runs;
    double m_cpuS{0};       ///< [s]
    int64_t m_peakBytes{0}; ///< resident [byte]
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_LOG_H
