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
 * Runs programs, a number of them at a time.
 *
 * They write nothing to the terminal: standard output is thrown away, and standard error goes to a
 * file. SIGINT and SIGTERM (they are the pool's while Run() lasts) are handed on, and no further
 * program is started; a second one kills those that still run. A program gets SIGTERM where its
 * pool ends without a word.
 */
class ProcessPool
{
  public:
    /// A program to be run.
    struct Task
    {
        std::vector<std::string> arguments; ///< the first is the program's path
        std::string errorFile;              ///< for its standard error
    };

    /// \param parallel how many at a time, at least 1
    explicit ProcessPool(uint32_t parallel);

    /**
     * Called when a program has ended. \param task its index \param status exit status; minus the
     * number of the signal that ended it
     */
    using Done = std::function<void(size_t task, int status)>;

    /// Runs programs until all have ended, or until a signal. \returns the signal; 0: none
    int Run(const std::vector<Task>& tasks, const Done& done);

  private:
    /// Starts a program. \returns whether there is a process for it
    bool Start(const Task& task, size_t index, const sigset_t& mask);
    void Signal(int signal) const;
    /// Takes note of those that have ended.
    void Reap(const Done& done);

    uint32_t m_parallel;
    std::map<pid_t, size_t> m_running; ///< task by process
};

} // namespace ns3

#endif // GPU_FABRIC_PROCESS_POOL_H
