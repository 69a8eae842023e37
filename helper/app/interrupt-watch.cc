/* SPDX-License-Identifier: GPL-2.0-only */
#include "interrupt-watch.h"

#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <chrono>
#include <csignal>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("InterruptWatch");

namespace
{

/// How often the flag is read: a signal handler may not notify a condition.
constexpr std::chrono::milliseconds PERIOD(100);

} // namespace

InterruptWatch::InterruptWatch(const std::atomic<bool>* flag, std::function<void()> stop)
    : m_stop(std::move(stop))
{
    if (flag != nullptr)
    {
        // Signals are handled by the thread that simulates.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        m_thread = std::thread([this, flag]() { Watch(*flag); });
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
}

InterruptWatch::~InterruptWatch()
{
    if (m_thread.joinable())
    {
        {
            std::lock_guard<std::mutex> lock(m_mutex);
            m_end = true;
        }
        m_wakeUp.notify_one();
        m_thread.join();
    }
}

void
InterruptWatch::Watch(const std::atomic<bool>& flag)
{
    std::unique_lock<std::mutex> lock(m_mutex);
    while (!m_wakeUp.wait_for(lock, PERIOD, [this]() { return m_end; }))
    {
        if (flag.load(std::memory_order_relaxed))
        {
            // The one thing that another thread may do to a simulator.
            Simulator::ScheduleWithContext(Simulator::NO_CONTEXT, Time(0), [this]() {
                NS_LOG_INFO("a signal ends the run");
                m_stop();
            });
            return;
        }
    }
}

} // namespace ns3
