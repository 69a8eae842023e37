/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_WINDOW_WORKER_H
#define GPU_FABRIC_WINDOW_WORKER_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

namespace ns3
{

/**
 * A thread that does one piece of work at a time, of microseconds, for another thread, which waits
 * for it. What one has written before Start() or at the end of the work the other sees after it.
 *
 * Both wait by looking, since a window of a simulation is shorter than it takes to wake a thread
 * up. The worker goes to sleep when nothing has come for a while. Where it has not begun when it is
 * waited for, as it has no processor, the other thread does the work: on a machine that others use
 * as well it is not waited for from window to window.
 */
class WindowWorker
{
  public:
    /// \param work what is done at each Start(); throws nothing
    explicit WindowWorker(std::function<void()> work);
    /// Waits for the work in progress.
    ~WindowWorker();
    WindowWorker(const WindowWorker&) = delete;
    WindowWorker& operator=(const WindowWorker&) = delete;

    /// Has the work done. The last one must have been waited for.
    void Start();
    /// Returns when what was started last is done; at once if nothing was. Does it here if it has
    /// not been begun.
    void Wait();

  private:
    void Loop();
    /// Looks for a while, then sleeps, until there is work. \returns false if there will be none
    bool AwaitStart(uint64_t last);

    /// Whether a piece, by its number, is for the caller to do.
    bool Claim(uint64_t piece);

    std::function<void()> m_work;
    std::atomic<uint64_t> m_started{0};
    /// Pieces that somebody does or has done.
    alignas(64) std::atomic<uint64_t> m_claimed{0};
    /// On a line of its own: each is written by one of the threads.
    alignas(64) std::atomic<uint64_t> m_done{0};
    alignas(64) std::atomic<bool> m_sleeping{false};
    bool m_end{false}; ///< guarded by m_mutex
    std::mutex m_mutex;
    std::condition_variable m_wakeUp;
    std::thread m_thread;
};

} // namespace ns3

#endif // GPU_FABRIC_WINDOW_WORKER_H
