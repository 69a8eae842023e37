/* SPDX-License-Identifier: GPL-2.0-only */
#include "window-worker.h"

#include "ns3/log.h"

#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WindowWorker");

namespace
{

/// Polls between two yields of the processor: about a microsecond.
constexpr uint32_t LOOKS = 64;
/// Yields before the worker sleeps: about as long as it takes to wake it up.
constexpr uint32_t PATIENCE = 64;

/// Hints to the processor that this is a spin loop.
void
Relax()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

} // namespace

WindowWorker::WindowWorker(std::function<void()> work)
    : m_work(std::move(work)),
      m_thread([this]() { Loop(); })
{
}

WindowWorker::~WindowWorker()
{
    NS_LOG_FUNCTION(this << m_started.load());
    Wait();
    {
        std::lock_guard<std::mutex> lock(m_mutex);
        m_end = true;
    }
    m_wakeUp.notify_one();
    m_thread.join();
}

void
WindowWorker::Start()
{
    // Sequentially consistent with the check of a worker that is about to sleep: either the worker
    // sees the work, or this thread sees that it sleeps.
    m_started.fetch_add(1, std::memory_order_seq_cst);
    if (m_sleeping.load(std::memory_order_seq_cst))
    {
        std::lock_guard<std::mutex> lock(m_mutex);
        m_wakeUp.notify_one();
    }
}

void
WindowWorker::Wait()
{
    const uint64_t started = m_started.load(std::memory_order_relaxed);
    if (m_done.load(std::memory_order_acquire) == started)
    {
        return;
    }
    if (Claim(started))
    {
        m_work();
        m_done.store(started, std::memory_order_release);
        return;
    }
    for (uint32_t looks = 0; m_done.load(std::memory_order_acquire) != started; ++looks)
    {
        Relax();
        if (looks % LOOKS == LOOKS - 1)
        {
            // If there are fewer processors than threads, the worker needs this one.
            std::this_thread::yield();
        }
    }
}

bool
WindowWorker::Claim(uint64_t piece)
{
    uint64_t before = piece - 1;
    return m_claimed.compare_exchange_strong(before, piece, std::memory_order_acq_rel);
}

bool
WindowWorker::AwaitStart(uint64_t last)
{
    for (uint32_t looks = 0; looks < LOOKS * PATIENCE; ++looks)
    {
        if (m_started.load(std::memory_order_acquire) != last)
        {
            return true;
        }
        Relax();
        if (looks % LOOKS == LOOKS - 1)
        {
            std::this_thread::yield();
        }
    }
    std::unique_lock<std::mutex> lock(m_mutex);
    m_sleeping.store(true, std::memory_order_seq_cst);
    m_wakeUp.wait(lock, [this, last]() {
        return m_end || m_started.load(std::memory_order_seq_cst) != last;
    });
    m_sleeping.store(false, std::memory_order_seq_cst);
    return m_started.load(std::memory_order_acquire) != last;
}

void
WindowWorker::Loop()
{
    for (uint64_t last = 0; AwaitStart(last);)
    {
        // The other thread may have done several pieces in the meantime.
        last = m_started.load(std::memory_order_acquire);
        if (Claim(last))
        {
            m_work();
            m_done.store(last, std::memory_order_release);
        }
    }
}

} // namespace ns3
