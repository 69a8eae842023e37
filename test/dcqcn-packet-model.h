/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DCQCN_PACKET_MODEL_H
#define GPU_FABRIC_DCQCN_PACKET_MODEL_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace ns3
{

/**
 * DCQCN (Zhu et al., SIGCOMM 2015) of greedy flows through one queue, to compare the module with:
 * written from the paper, with nothing of the module in it, no transport, no buffer limit, no PFC.
 * Each sender has a link of its own at the rate of the queue's; a frame or a CNP takes 1 us a link.
 */
class DcqcnPacketModel
{
  public:
    struct Setting
    {
        double rate{100e9};    ///< of all links [bit/s]
        uint32_t flows{2};     ///< N
        double frame{1000};    ///< [byte]
        double kmin{400e3};    ///< [byte]
        double kmax{1600e3};   ///< [byte]
        double pmax{0.2};      ///< probability at kmax
        bool atDequeue{true};  ///< mark by what a departing frame leaves behind
        double increase{20e6}; ///< R_AI = R_HAI [bit/s]
        double counter{10e6};  ///< B [byte]; infinite for none
        double hyperLimit{1};  ///< most that i may be
        double from{0.1};      ///< begin of the measurement [s]
        double to{0.3};        ///< its end [s]
        uint64_t seed{1};
    };

    struct Result
    {
        double queue{0};       ///< mean, without the frame in transmission [byte]
        double jain{0};        ///< of the bytes sent
        double utilization{0}; ///< of the queue's link
        double cnps{0};        ///< a second and flow
    };

    explicit DcqcnPacketModel(const Setting& setting)
        : m_setting(setting),
          m_flows(setting.flows),
          m_random(setting.seed)
    {
    }

    Result Run()
    {
        for (uint32_t i = 0; i < m_setting.flows; ++i)
        {
            m_flows[i].rate = m_flows[i].target = m_setting.rate;
            // Not all in the same instant.
            m_events.push({i * 1e-9, SEND, i});
        }
        while (m_events.top().time < m_setting.to)
        {
            Event event = m_events.top();
            m_events.pop();
            Integrate(event.time);
            switch (event.kind)
            {
            case SEND:
                Send(event.time, event.flow);
                break;
            case ARRIVE:
                Arrive(event.time, event.flow);
                break;
            case DEPART:
                Depart(event.time);
                break;
            case RECEIVE_MARK:
                ReceiveMark(event.time, event.flow);
                break;
            case INTERVAL:
                EndInterval(event.time, event.flow);
                break;
            case CNP:
                Decrease(event.time, event.flow);
                break;
            }
        }
        Result result;
        const double time = m_setting.to - m_setting.from;
        double sum = 0;
        double squares = 0;
        for (const Flow& flow : m_flows)
        {
            sum += flow.sent;
            squares += flow.sent * flow.sent;
            result.cnps += flow.cnps / time / m_setting.flows;
        }
        result.queue = m_integral / time;
        result.jain = sum * sum / (m_setting.flows * squares);
        result.utilization = m_served * 8 / (m_setting.rate * time);
        return result;
    }

  private:
    static constexpr double LINK = 1e-6;    ///< [s]
    static constexpr double PERIOD = 55e-6; ///< of both timers [s]
    static constexpr double CNP_GAP = 50e-6;
    static constexpr double G = 1.0 / 256;
    static constexpr int F = 5;

    enum Kind
    {
        SEND,
        ARRIVE,
        DEPART,
        RECEIVE_MARK,
        INTERVAL,
        CNP
    };

    struct Event
    {
        double time;
        Kind kind;
        uint32_t flow;

        bool operator>(const Event& other) const
        {
            return time > other.time;
        }
    };

    struct Flow
    {
        double rate{0};
        double target{0};
        double alpha{1};
        double alphaDue{1e9};
        double rateDue{1e9};
        double bytes{0};
        int timerCount{0};
        int byteCount{0};
        double hyperCount{0};
        double nextCnp{0};
        bool marked{false};
        double sent{0}; ///< in the measurement [byte]
        double cnps{0};
    };

    struct Frame
    {
        uint32_t flow;
        bool marked;
    };

    bool IsMeasured(double now) const
    {
        return now >= m_setting.from;
    }

    void Integrate(double now)
    {
        if (IsMeasured(now))
        {
            const double waiting = m_queue.empty() ? 0.0 : m_queue.size() - 1.0;
            m_integral += waiting * m_setting.frame * (now - std::max(m_last, m_setting.from));
        }
        m_last = now;
    }

    /// Whether a frame that sees this many others wait is marked.
    bool Mark(double frames)
    {
        const double queue = frames * m_setting.frame;
        if (queue <= m_setting.kmin)
        {
            return false;
        }
        const double probability =
            m_setting.pmax * (queue - m_setting.kmin) / (m_setting.kmax - m_setting.kmin);
        return queue > m_setting.kmax || m_uniform(m_random) < probability;
    }

    void Increase(Flow& flow)
    {
        if (std::min(flow.timerCount, flow.byteCount) > F)
        {
            flow.hyperCount = std::min(flow.hyperCount + 1, m_setting.hyperLimit);
            flow.target += flow.hyperCount * m_setting.increase;
        }
        else if (std::max(flow.timerCount, flow.byteCount) >= F)
        {
            flow.target += m_setting.increase;
        }
        flow.target = std::min(flow.target, m_setting.rate);
        flow.rate = (flow.target + flow.rate) / 2;
    }

    void RunTimers(double now, Flow& flow)
    {
        while (flow.alphaDue <= now)
        {
            flow.alpha *= 1 - G;
            flow.alphaDue += PERIOD;
        }
        while (flow.rateDue <= now)
        {
            ++flow.timerCount;
            Increase(flow);
            flow.rateDue += PERIOD;
        }
    }

    void Send(double now, uint32_t id)
    {
        Flow& flow = m_flows[id];
        RunTimers(now, flow);
        flow.sent += IsMeasured(now) ? m_setting.frame : 0;
        m_events.push({now + m_setting.frame * 8 / m_setting.rate + LINK, ARRIVE, id});
        m_events.push({now + m_setting.frame * 8 / flow.rate, SEND, id});
        flow.bytes += m_setting.frame;
        if (flow.bytes >= m_setting.counter)
        {
            flow.bytes = 0;
            ++flow.byteCount;
            Increase(flow);
        }
    }

    void Arrive(double now, uint32_t id)
    {
        const bool idle = m_queue.empty();
        m_queue.push_back({id, !m_setting.atDequeue && !idle && Mark(m_queue.size() - 1.0)});
        if (idle)
        {
            StartService(now);
        }
    }

    void StartService(double now)
    {
        if (m_setting.atDequeue)
        {
            m_queue.front().marked = Mark(m_queue.size() - 1.0);
        }
        m_events.push({now + m_setting.frame * 8 / m_setting.rate, DEPART, 0});
    }

    void Depart(double now)
    {
        const Frame frame = m_queue.front();
        m_queue.pop_front();
        m_served += IsMeasured(now) ? m_setting.frame : 0;
        if (frame.marked)
        {
            m_events.push({now + LINK, RECEIVE_MARK, frame.flow});
        }
        if (!m_queue.empty())
        {
            StartService(now);
        }
    }

    void SendCnp(double now, uint32_t id)
    {
        Flow& flow = m_flows[id];
        flow.nextCnp = now + CNP_GAP;
        flow.marked = false;
        flow.cnps += IsMeasured(now);
        m_events.push({now + 2 * LINK, CNP, id});
    }

    void ReceiveMark(double now, uint32_t id)
    {
        Flow& flow = m_flows[id];
        if (now >= flow.nextCnp)
        {
            SendCnp(now, id);
        }
        else if (!flow.marked)
        {
            flow.marked = true;
            m_events.push({flow.nextCnp, INTERVAL, id});
        }
    }

    void EndInterval(double now, uint32_t id)
    {
        if (m_flows[id].marked)
        {
            SendCnp(now, id);
        }
    }

    void Decrease(double now, uint32_t id)
    {
        Flow& flow = m_flows[id];
        RunTimers(now, flow);
        flow.target = flow.rate;
        flow.rate *= 1 - flow.alpha / 2;
        flow.alpha = (1 - G) * flow.alpha + G;
        flow.alphaDue = flow.rateDue = now + PERIOD;
        flow.timerCount = flow.byteCount = 0;
        flow.hyperCount = flow.bytes = 0;
    }

    const Setting m_setting;
    std::vector<Flow> m_flows;
    std::deque<Frame> m_queue; ///< the first is in transmission
    std::priority_queue<Event, std::vector<Event>, std::greater<>> m_events;
    std::mt19937_64 m_random;
    std::uniform_real_distribution<double> m_uniform;
    double m_last{0};     ///< time of the last event [s]
    double m_integral{0}; ///< of the queue over time [byte s]
    double m_served{0};   ///< [byte]
};

} // namespace ns3

#endif // GPU_FABRIC_DCQCN_PACKET_MODEL_H
