/* SPDX-License-Identifier: GPL-2.0-only */
#include "process-pool.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ProcessPool");

ProcessPool::ProcessPool(uint32_t parallel)
    : m_parallel(parallel)
{
    NS_ABORT_MSG_IF(parallel == 0, "a pool runs at least one process at a time");
}

int
ProcessPool::Run(const std::vector<Task>& tasks, const Done& done)
{
    // Blocked, and accepted one by one below: no handler is needed, and no signal is lost.
    sigset_t signals;
    sigset_t before;
    sigemptyset(&signals);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM})
    {
        sigaddset(&signals, signal);
    }
    struct sigaction hangUp = {};
    sigaction(SIGHUP, nullptr, &hangUp);
    if (hangUp.sa_handler != SIG_IGN) // nohup ignores it, and means it
    {
        sigaddset(&signals, SIGHUP);
    }
    sigprocmask(SIG_BLOCK, &signals, &before);
    // If the caller ignores it, children would disappear without a status.
    struct sigaction usual = {};
    struct sigaction inherited = {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, &inherited);
    size_t next = 0;
    int ended = 0; // by this signal
    while (!m_running.empty() || (next < tasks.size() && ended == 0))
    {
        while (ended == 0 && next < tasks.size() && m_running.size() < m_parallel)
        {
            const size_t index = next++;
            if (!Start(tasks[index], index, before))
            {
                done(index, -SIGABRT);
            }
        }
        if (m_running.empty())
        {
            continue;
        }
        // Finds children that have ended even if their signals were merged.
        const timespec second{1, 0};
        const int signal = sigtimedwait(&signals, nullptr, &second);
        if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP)
        {
            Signal(ended == 0 ? signal : SIGKILL);
            ended = signal;
        }
        Reap(done);
    }
    sigaction(SIGCHLD, &inherited, nullptr);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    return ended;
}

bool
ProcessPool::Start(const Task& task, size_t index, const sigset_t& mask)
{
    std::vector<std::string> words = task.arguments;
    std::vector<char*> arguments;
    for (std::string& word : words)
    {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child > 0)
    {
        m_running[child] = index;
        NS_LOG_INFO("process " << child << " does task " << index);
        return true;
    }
    if (child < 0)
    {
        return false;
    }
    // Only async-signal-safe calls between fork and exec. A process group of its own: otherwise the
    // child would receive the terminal's SIGINT twice, and the second one terminates it at once.
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    const int out = open("/dev/null", O_WRONLY);
    const int error = open(task.errorFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (getppid() != parent || out < 0 || error < 0 || dup2(out, STDOUT_FILENO) < 0 ||
        dup2(error, STDERR_FILENO) < 0)
    {
        _exit(126);
    }
    execv(arguments[0], arguments.data());
    const char* const reason = std::strerror(errno);
    const ssize_t ignored = write(STDERR_FILENO, reason, std::strlen(reason));
    _exit(ignored < 0 ? 126 : 127);
}

void
ProcessPool::Signal(int signal) const
{
    for (const auto& [process, task] : m_running)
    {
        kill(process, signal);
    }
}

void
ProcessPool::Reap(const Done& done)
{
    for (auto it = m_running.begin(); it != m_running.end();)
    {
        int status = 0;
        if (waitpid(it->first, &status, WNOHANG) != it->first)
        {
            ++it;
            continue;
        }
        const size_t task = it->second;
        NS_LOG_INFO("process " << it->first << " has ended task " << task << ", status " << status);
        it = m_running.erase(it);
        done(task, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
    }
}

} // namespace ns3
