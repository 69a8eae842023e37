/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROGRESS_PRINTER_H
#define GPU_FABRIC_PROGRESS_PRINTER_H

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Progress of a job.
struct JobProgress
{
    std::string name;
    uint64_t done{0};  ///< iterations
    uint64_t total{0}; ///< iterations; 0 if it ends with another job
};

/// Progress of a run.
struct RunProgress
{
    int64_t simulatedPs{0};
    int64_t stopPs{0};     ///< `stop: {time}` [ps]; 0: none
    bool untilStop{false}; ///< whether the run ends there and not before
    uint64_t events{0};
    uint64_t hops{0};       ///< packet-hops
    double expectedHops{0}; ///< packet-hops of the run, about; 0: unknown
    std::vector<JobProgress> jobs;
};

/**
 * Shows the progress of a run: simulated time, iterations of each job, events per second of wall
 * time, time left. On a terminal, one line that is rewritten every 200 ms; otherwise a new line
 * every 5 s.
 */
class ProgressPrinter
{
  public:
    /**
     * \param os where to print, usually standard error; outlives the printer
     * \param terminal whether os is a terminal
     * \param label precedes each line, e.g. "run 2 of 2, Crux"; may be empty
     * \param clock gives the wall time [s]; by default a steady clock
     */
    ProgressPrinter(std::ostream& os,
                    bool terminal,
                    const std::string& label = "",
                    std::function<double()> clock = GetSteadySeconds);

    /// Whether Update() would print now; a caller checks this before it gathers the figures.
    bool IsDue() const;
    /// Prints if it is due.
    void Update(const RunProgress& progress);
    /// Clears the line of a terminal. Call before printing anything else there.
    void Finish();

    /// The line without its label, at most `width` characters if possible.
    static std::string Format(const RunProgress& progress, double elapsedS, size_t width);

  private:
    static double GetSteadySeconds();

    std::ostream& m_os;
    bool m_terminal;
    std::string m_label;
    std::function<double()> m_clock;
    double m_startS;
    double m_nextS;
    size_t m_shown{0}; ///< characters on the terminal's line
};

} // namespace ns3

#endif // GPU_FABRIC_PROGRESS_PRINTER_H
