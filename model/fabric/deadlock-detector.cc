/* SPDX-License-Identifier: GPL-2.0-only */
#include "deadlock-detector.h"

#include <algorithm>

namespace ns3
{

std::vector<DeadlockDetector::Queue>
DeadlockDetector::FindCycle() const
{
    std::map<Queue, std::vector<Queue>> stuck = m_waits;
    for (bool changed = true; changed;)
    {
        changed = false;
        for (auto queue = stuck.begin(); queue != stuck.end();)
        {
            const bool goesOn =
                queue->second.empty() || std::any_of(queue->second.begin(),
                                                     queue->second.end(),
                                                     [&stuck](const Queue& next) {
                                                         return stuck.find(next) == stuck.end();
                                                     });
            queue = goesOn ? stuck.erase(queue) : std::next(queue);
            changed = changed || goesOn;
        }
    }
    if (stuck.empty())
    {
        return {};
    }
    std::vector<Queue> walk{stuck.begin()->first};
    while (true)
    {
        const Queue next = stuck[walk.back()].front();
        const auto seen = std::find(walk.begin(), walk.end(), next);
        if (seen != walk.end())
        {
            walk.erase(walk.begin(), seen);
            std::rotate(walk.begin(), std::min_element(walk.begin(), walk.end()), walk.end());
            return walk;
        }
        walk.push_back(next);
    }
}

} // namespace ns3
