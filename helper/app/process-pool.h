/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROCESS_POOL_H
#define GPU_FABRIC_PROCESS_POOL_H

#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ns3
{

/**
 * Runs programs, up to a number of them at a time.
 *
 * They write nothing to the terminal: standard output is discarded, and standard error goes to a
 * file. While Run() lasts, the pool handles SIGINT and SIGTERM: it forwards the signal and starts
 * no further program; a second signal kills those still running. A program receives SIGTERM if the
 * process of its pool dies.
 */
class ProcessPool
{
  public:
    /// A program to run.
    struct Task
    {
        std::vector<std::string> arguments; ///< the first is the program's path
        std::string errorFile;              ///< path of its standard error
    };

    /// \param parallel how many at a time, at least 1
    explicit ProcessPool(uint32_t parallel);

    /**
     * Called when a program has ended.
     * \param task its index
     * \param status exit status; negated signal number if a signal ended it
     */
    using Done = std::function<void(size_t task, int status)>;

    /// Runs programs until all have ended, or until a signal. \returns the signal; 0: none
    int Run(const std::vector<Task>& tasks, const Done& done);

  private:
    /// Starts a program. \returns whether a process was created
    bool Start(const Task& task, size_t index, const sigset_t& mask);
    void Signal(int signal) const;
    /// Collects those that have ended.
    void Reap(const Done& done);

    uint32_t m_parallel;
    std::map<pid_t, size_t> m_running; ///< task by process
};

} // namespace ns3

#endif // GPU_FABRIC_PROCESS_POOL_H
