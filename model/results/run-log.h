/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_RUN_LOG_H
#define GPU_FABRIC_RUN_LOG_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Facts of the wall clock, `<output>.log`: they differ from one run of the same scenario to the
 * next, so they do not go into the database.
 */
class RunLog
{
  public:
    /// \param version of this module
    explicit RunLog(const std::string& version);

    /// A run begins. \param label e.g. "run 1, Crux"
    void StartRun(const std::string& label);
    /// It has ended.
    void EndRun(uint64_t events, uint64_t packetHops);

    std::string GetText() const;
    /// Writes `<output>.log`. \throws ResultWriteError
    void Write(const std::string& output) const;

  private:
    struct Run
    {
        std::string label;
        double wallS{0}; ///< [s]; the start until it has ended
        double cpuS{0};  ///< [s]; likewise
        uint64_t events{0};
        uint64_t packetHops{0};
    };

    std::string m_version;
    std::vector<Run> m_runs;
};

} // namespace ns3

#endif // GPU_FABRIC_RUN_LOG_H
