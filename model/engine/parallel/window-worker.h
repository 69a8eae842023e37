/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_WINDOW_WORKER_H
#define GPU_FABRIC_WINDOW_WORKER_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace ns3
{

/**
 * A thread that does one piece of work at a time, lasting microseconds, for another thread that
 * waits for it. Whatever one thread has written before Start() or at the end of the work is visible
 * to the other afterwards.
 *
 * Both wait by spinning, since a window of a simulation is shorter than waking a thread takes. The
 * worker goes to sleep if nothing has come for a while. If it has not begun when the other thread
 * waits for it, because it has no processor, the other thread does the work itself: on a machine
 * shared with others the simulation does not wait for it in every window.
 */
class WindowWorker
{
  public:
    /// \param work run at each Start(); an exception of it is thrown by Wait()
    explicit WindowWorker(std::function<void()> work);
    /// Waits for the work in progress.
    ~WindowWorker();
    WindowWorker(const WindowWorker&) = delete;
    WindowWorker& operator=(const WindowWorker&) = delete;

    /// Starts the work. The caller must have waited for the previous one.
    void Start();
    /// Returns when the work last started is done; at once if none was started. Does the work here
    /// if it has not begun.
    void Wait();

  private:
    void Loop();
    /// Wait() without its exceptions.
    void AwaitDone();
    /// Does the work and keeps its exception.
    void Work();
    /// Spins for a while, then sleeps, until there is work. \returns false if there will be none
    bool AwaitStart(uint64_t last);

    /// Claims a piece of work, by its number. \returns whether the caller is to do it
    bool Claim(uint64_t piece);

    std::function<void()> m_work;
    std::exception_ptr m_failure; ///< of the last work; written before m_done
    std::atomic<uint64_t> m_started{0};
    /// Pieces that have been claimed, by either thread.
    alignas(64) std::atomic<uint64_t> m_claimed{0};
    /// On a cache line of its own: each is written by one of the threads.
    alignas(64) std::atomic<uint64_t> m_done{0};
    alignas(64) std::atomic<bool> m_sleeping{false};
    bool m_end{false}; ///< guarded by m_mutex
    std::mutex m_mutex;
    std::condition_variable m_wakeUp;
    std::thread m_thread;
};

} // namespace ns3

#endif // GPU_FABRIC_WINDOW_WORKER_H
