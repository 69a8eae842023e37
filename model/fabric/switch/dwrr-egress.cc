/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../base/quantity-value.h"
#include "../../base/text-value.h"
#include "../fabric-port.h"

#include "ns3/egress-scheduler.h"
#include "ns3/log.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * Deficit weighted round robin among groups of priorities, and strict priority between groups and
 * ungrouped priorities.
 *
 * A group ranks by its highest priority. Within it a priority is served as long as it has credit.
 * The bytes of each frame, preamble and gap included, are deducted when it is sent, possibly
 * leaving a debt; then it is the turn of the next priority, which gets Quantum x weight bytes of
 * credit. This is surplus round robin (Adiseshu, Parulkar and Varghese, SIGCOMM 1996), the variant
 * of DWRR (Shreedhar and Varghese, SIGCOMM 1995) that need not know the size of a frame beforehand.
 * Debts are carried over, so that priorities that always have frames get their exact shares to
 * within one frame and one turn. A priority that runs out of frames loses its credit, not its debt,
 * and the others share the remainder.
 */
class DwrrEgress : public EgressScheduler
{
  public:
    static TypeId GetTypeId();

    std::string Configure(uint32_t queues) override;

    bool IsStrictPriority() const override
    {
        return m_strict;
    }

    uint32_t Select(uint32_t ready) override;
    void Charge(uint32_t priority, uint32_t wireBytes) override;

  private:
    using Group = std::vector<std::pair<uint32_t, uint64_t>>; ///< priorities and weights

    /// Parses "6:4,5:2;4:1,3:1". \returns what is wrong with it; "": nothing
    static std::string Parse(const std::string& weights,
                             uint32_t queues,
                             std::vector<Group>& groups);
    /// Parses "6:4,5:2". \param [in,out] named bit p: priority p is in a group
    static std::string ParseGroup(const std::string& text,
                                  uint32_t queues,
                                  uint32_t& named,
                                  Group& group);
    /// What is wrong with weights for any number of queues; "": nothing.
    static std::string FindFault(const std::string& weights);

    /// The next priority of a group: downwards, then from the top again.
    static uint32_t GetNext(uint32_t group, uint32_t priority)
    {
        uint32_t below = group & ((1u << priority) - 1);
        return 31 - __builtin_clz(below != 0 ? below : group);
    }

    std::string m_weights;
    uint32_t m_quantum;

    bool m_strict{true};
    std::vector<uint32_t> m_levels;               ///< sets of priorities, best first
    std::array<uint32_t, MAX_QUEUES> m_group{};   ///< set that a priority is in; 0: none
    std::array<uint64_t, MAX_QUEUES> m_weight{};  ///< 0: in no group
    std::array<int64_t, MAX_QUEUES> m_credit{};   ///< [byte]
    std::array<uint32_t, MAX_QUEUES> m_current{}; ///< whose turn it is, by highest of the group
};

NS_LOG_COMPONENT_DEFINE("DwrrEgress");

NS_OBJECT_ENSURE_REGISTERED(DwrrEgress);

TypeId
DwrrEgress::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DwrrEgress")
            .SetParent<EgressScheduler>()
            .SetGroupName("GpuFabric")
            .AddConstructor<DwrrEgress>()
            .AddAttribute("Weights",
                          "Priorities that share the link and their weights, such as "
                          "\"6:4,5:2,4:1\"; a semicolon starts another group. Those that are not "
                          "named are strict. A group stands where its highest priority does.",
                          TextValue("6:1,5:1,4:1,3:1,2:1,1:1"),
                          MakeTextAccessor(&DwrrEgress::m_weights),
                          MakeTextChecker(&DwrrEgress::FindFault))
            .AddAttribute("Quantum",
                          "Bytes on the wire that a weight of 1 may send in its turn.",
                          ByteSizeValue(4'096),
                          MakeByteSizeAccessor(&DwrrEgress::m_quantum),
                          MakeByteSizeChecker(64, 100'000'000));
    return tid;
}

std::string
DwrrEgress::ParseGroup(const std::string& text, uint32_t queues, uint32_t& named, Group& group)
{
    std::istringstream items(text);
    for (std::string item; std::getline(items, item, ',');)
    {
        std::istringstream is(item);
        int64_t priority = -1;
        int64_t weight = 0;
        char colon = 0;
        char more;
        if (!(is >> priority >> colon >> weight) || colon != ':' || is >> more)
        {
            return "\"" + item + "\" is not a priority, a colon and a weight";
        }
        if (priority < 0 || priority >= queues)
        {
            return "priority " + std::to_string(priority) + " is not one of 0 to " +
                   std::to_string(queues - 1);
        }
        if (weight < 1 || weight > 1'000'000)
        {
            return "weight " + std::to_string(weight) + " of priority " + std::to_string(priority) +
                   " is not in 1 to 1000000";
        }
        if (named >> priority & 1)
        {
            return "priority " + std::to_string(priority) + " is named twice";
        }
        named |= 1u << priority;
        group.emplace_back(static_cast<uint32_t>(priority), static_cast<uint64_t>(weight));
    }
    return group.empty() ? "a group has no priority" : "";
}

std::string
DwrrEgress::Parse(const std::string& weights, uint32_t queues, std::vector<Group>& groups)
{
    uint32_t named = 0;
    std::istringstream texts(weights);
    for (std::string text; std::getline(texts, text, ';');)
    {
        groups.emplace_back();
        const std::string fault = ParseGroup(text, queues, named, groups.back());
        if (!fault.empty())
        {
            return fault;
        }
    }
    return "";
}

std::string
DwrrEgress::FindFault(const std::string& weights)
{
    std::vector<Group> groups;
    return Parse(weights, MAX_QUEUES, groups);
}

std::string
DwrrEgress::Configure(uint32_t queues)
{
    m_group.fill(0);
    m_weight.fill(0);
    m_credit.fill(0);
    m_levels.clear();
    std::vector<Group> groups;
    const std::string fault = Parse(m_weights, queues, groups);
    if (!fault.empty())
    {
        return "Weights \"" + m_weights + "\": " + fault;
    }
    NS_LOG_LOGIC("weights " << m_weights << " in " << groups.size() << " groups");
    for (const Group& group : groups)
    {
        uint32_t mask = 0;
        for (const auto& [priority, weight] : group)
        {
            m_weight[priority] = weight;
            mask |= 1u << priority;
        }
        for (const auto& [priority, weight] : group)
        {
            m_group[priority] = mask;
        }
        const uint32_t top = 31 - __builtin_clz(mask);
        m_current[top] = top;
        m_credit[top] = static_cast<int64_t>(m_weight[top] * m_quantum);
    }
    m_strict = true;
    for (uint32_t priority = queues; priority-- > 0;)
    {
        uint32_t group = m_group[priority];
        if (group == 0)
        {
            m_levels.push_back(1u << priority);
        }
        else if (priority == static_cast<uint32_t>(31 - __builtin_clz(group)))
        {
            m_levels.push_back(group);
            m_strict = m_strict && (group & (group - 1)) == 0;
        }
    }
    return "";
}

uint32_t
DwrrEgress::Select(uint32_t ready)
{
    uint32_t level = 0;
    while ((m_levels[level] & ready) == 0)
    {
        ++level;
    }
    uint32_t group = m_levels[level];
    uint32_t top = 31 - __builtin_clz(group);
    if (m_weight[top] == 0)
    {
        return top;
    }
    uint32_t& current = m_current[top];
    while (true)
    {
        int64_t& credit = m_credit[current];
        if ((ready >> current & 1) == 0)
        {
            credit = std::min<int64_t>(credit, 0);
        }
        else if (credit > 0)
        {
            return current;
        }
        current = GetNext(group, current);
        if (ready >> current & 1)
        {
            m_credit[current] += static_cast<int64_t>(m_weight[current] * m_quantum);
        }
    }
}

void
DwrrEgress::Charge(uint32_t priority, uint32_t wireBytes)
{
    if (m_weight[priority] != 0)
    {
        m_credit[priority] -= wireBytes;
    }
}

} // namespace ns3
