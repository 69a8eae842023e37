/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_INTERRUPT_WATCH_H
#define GPU_FABRIC_INTERRUPT_WATCH_H

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ns3
{

/**
 * Watches a flag while a simulation runs, in wall time: in a large network a microsecond of
 * simulated time may take seconds. Nothing is scheduled unless the flag becomes true, so that a run
 * that is not interrupted does not depend on it.
 */
class InterruptWatch
{
  public:
    /**
     * Starts watching.
     * \param flag may be null: nothing is watched; must outlive this object
     * \param stop run once, in the simulation, at its next event
     */
    InterruptWatch(const std::atomic<bool>* flag, std::function<void()> stop);
    /// Stops watching.
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;

  private:
    void Watch(const std::atomic<bool>& flag);

    std::function<void()> m_stop;
    bool m_end{false}; ///< guarded by m_mutex
    std::mutex m_mutex;
    std::condition_variable m_wakeUp;
    std::thread m_thread;
};

} // namespace ns3

#endif // GPU_FABRIC_INTERRUPT_WATCH_H
