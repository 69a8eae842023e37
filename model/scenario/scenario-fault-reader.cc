/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-fault-reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ns3
{

namespace
{

const std::vector<std::string> TARGETS{"link", "switch", "nic", "host"};

const std::map<std::string, FaultAction>&
GetActions()
{
    static const std::map<std::string, FaultAction> actions{{"down", FaultAction::DOWN},
                                                            {"up", FaultAction::UP},
                                                            {"degraded", FaultAction::DEGRADED},
                                                            {"flapping", FaultAction::FLAPPING},
                                                            {"slow", FaultAction::SLOW},
                                                            {"lose", FaultAction::LOSE}};
    return actions;
}

/// Actions of a kind of target.
std::vector<std::string>
GetActionsOf(const std::string& target)
{
    if (target == "link")
    {
        return {"down", "up", "degraded", "flapping", "lose"};
    }
    return target == "nic" ? std::vector<std::string>{"down", "up", "slow"}
                           : std::vector<std::string>{"down", "up"};
}

/// What an action needs and what it may have, its target apart.
struct ActionKeys
{
    std::vector<std::string> required;
    std::vector<std::string> optional;
};

ActionKeys
GetKeysOf(const std::string& action)
{
    if (action == "lose")
    {
        return {{"probability"}, {"from", "to", "frames"}};
    }
    if (action == "flapping")
    {
        return {{"at", "for", "period"}, {"duty"}};
    }
    if (action == "degraded" || action == "slow")
    {
        return {{"at", "rate"}, {"for"}};
    }
    return {{"at"}, action == "up" ? std::vector<std::string>{} : std::vector<std::string>{"for"}};
}

bool
Contains(const std::vector<std::string>& list, const std::string& word)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

} // namespace

ScenarioFaultReader::ScenarioFaultReader(Diagnostics& diagnostics,
                                         const ClusterTopology* graph,
                                         int64_t stopPs)
    : m_diagnostics(diagnostics),
      m_graph(graph),
      m_stopPs(stopPs)
{
}

std::vector<FaultSpec>
ScenarioFaultReader::Read(const std::vector<DocumentNode>& items, const std::string& path)
{
    std::vector<FaultSpec> faults;
    for (std::size_t i = 0; i < items.size(); i++)
    {
        ReadFault(items[i], path + "[" + std::to_string(i) + "]", faults);
    }
    Match(faults);
    return faults;
}

void
ScenarioFaultReader::ReadFault(const DocumentNode& node,
                               const std::string& path,
                               std::vector<FaultSpec>& faults)
{
    const DocumentBlock block(node, "fault", path, m_diagnostics);
    if (!block.IsComplete())
    {
        return;
    }
    const auto action = block.GetText("action");
    FaultSpec fault;
    fault.path = path;
    fault.mark = node.GetMark();
    std::vector<std::string> written;
    for (const std::string& kind : TARGETS)
    {
        if (block.Find(kind) != nullptr)
        {
            written.push_back(kind);
            fault.kind = kind;
            fault.target = block.GetText(kind).value_or("");
        }
    }
    if (written.size() != 1)
    {
        const std::string what = written.empty()
                                     ? "a link, switch, nic or host is missing"
                                     : "only one of link, switch, nic and host can fail";
        m_diagnostics.Error(written.empty() ? node.GetMark() : block.GetMark(written[1]),
                            path,
                            what);
        return;
    }
    if (!action || fault.target.empty())
    {
        return;
    }
    if (!Contains(GetActionsOf(fault.kind), *action))
    {
        std::string valid;
        for (const std::string& word : GetActionsOf(fault.kind))
        {
            valid += (valid.empty() ? "" : ", ") + word;
        }
        block.Error("action",
                    "a " + fault.kind + " cannot be " + Diagnostics::Quote(*action) +
                        "; valid actions: " + valid);
        return;
    }
    fault.action = GetActions().at(*action);
    if (!CheckKeys(block, *action))
    {
        return;
    }
    const int errors = m_diagnostics.GetErrorCount();
    fault.rateBps = block.GetRate("rate").value_or(0);
    ReadTimes(block, *action, fault);
    ReadFrames(block, fault);
    Resolve(block, fault);
    if (m_diagnostics.GetErrorCount() == errors)
    {
        faults.push_back(fault);
    }
}

bool
ScenarioFaultReader::CheckKeys(const DocumentBlock& block, const std::string& action) const
{
    const ActionKeys keys = GetKeysOf(action);
    bool good = true;
    for (const ScenarioKey& key : ScenarioKeys::Get("fault"))
    {
        const std::string name = key.name;
        const bool there = block.Find(name) != nullptr;
        if (there && name != "action" && !Contains(TARGETS, name) &&
            !Contains(keys.required, name) && !Contains(keys.optional, name))
        {
            block.Error(name, "action " + action + " does not use it");
            good = false;
        }
        if (!there && Contains(keys.required, name))
        {
            // The same words as for a key that is always required.
            block.Error("action", name + " is missing for action " + action);
            good = false;
        }
    }
    return good;
}

void
ScenarioFaultReader::ReadTimes(const DocumentBlock& block,
                               const std::string& action,
                               FaultSpec& fault) const
{
    const bool lose = action == "lose";
    const char* const start = lose ? "from" : "at";
    fault.atPs = block.GetTime(start).value_or(0);
    if (lose)
    {
        fault.endPs = block.GetTime("to");
        if (fault.endPs && *fault.endPs <= fault.atPs)
        {
            block.Error("to", "the loss ends before it starts: to must be after from");
        }
    }
    else if (const auto duration = block.GetTime("for"))
    {
        if (*duration > std::numeric_limits<int64_t>::max() - fault.atPs)
        {
            block.Error("for", "the fault ends later than a run can last");
            return;
        }
        fault.endPs = fault.atPs + *duration;
    }
    if (m_stopPs > 0 && fault.atPs >= m_stopPs)
    {
        block.Error(start, "the run has ended by then: stop.time is not after it");
    }
    if (action != "flapping")
    {
        return;
    }
    fault.periodPs = block.GetTime("period").value_or(0);
    const double duty = block.GetPercentage("duty").value_or(0.5);
    fault.downPs = static_cast<int64_t>(duty * static_cast<double>(fault.periodPs));
    if (fault.periodPs > 0 && (fault.downPs <= 0 || fault.downPs >= fault.periodPs))
    {
        block.Error(block.Find("duty") != nullptr ? "duty" : "period",
                    "the link must be down for a part of the period and up for the rest");
    }
    if (fault.endPs && fault.periodPs > *fault.endPs - fault.atPs)
    {
        block.Error("period", "the fault is over before the first period is");
    }
}

void
ScenarioFaultReader::ReadFrames(const DocumentBlock& block, FaultSpec& fault) const
{
    const std::vector<std::string>& names = FaultSpec::GetFrameNames();
    fault.frames = (1u << names.size()) - 1;
    if (block.Find("probability") != nullptr)
    {
        const auto probability = block.GetPercentage("probability");
        fault.probability = probability.value_or(0);
        if (probability && fault.probability <= 0)
        {
            block.Error("probability", "must be above 0 %");
        }
    }
    if (const auto frames = block.GetScalars("frames"))
    {
        fault.frames = 0;
        for (const DocumentNode* frame : *frames)
        {
            const auto found = std::find(names.begin(), names.end(), frame->text);
            if (found == names.end())
            {
                m_diagnostics.Error(frame->GetMark(),
                                    fault.path + ".frames",
                                    Diagnostics::Unknown("frame", frame->text, names));
                continue;
            }
            fault.frames |= 1u << (found - names.begin());
        }
    }
}

std::vector<std::string>
ScenarioFaultReader::ListNodes(TopologyNodeKind kind) const
{
    std::vector<std::string> names;
    for (const TopologyNode& node : m_graph->GetNodes())
    {
        if (node.kind == kind)
        {
            names.push_back(node.name);
        }
    }
    return names;
}

void
ScenarioFaultReader::Resolve(const DocumentBlock& block, FaultSpec& fault) const
{
    if (m_graph == nullptr)
    {
        return;
    }
    if (fault.kind == "link")
    {
        ResolveLink(block, fault);
    }
    else if (fault.kind == "nic")
    {
        ResolveNic(block, fault);
    }
    else
    {
        const TopologyNodeKind kind =
            fault.kind == "switch" ? TopologyNodeKind::SWITCH : TopologyNodeKind::HOST;
        const int64_t node = m_graph->FindNode(fault.target);
        if (node < 0 || m_graph->GetNodes()[node].kind != kind)
        {
            block.Error(
                fault.kind,
                node < 0 ? Diagnostics::Unknown(fault.kind + " name", fault.target, ListNodes(kind))
                         : Diagnostics::Quote(fault.target) + (kind == TopologyNodeKind::SWITCH
                                                                   ? " is a host, not a switch"
                                                                   : " is a switch, not a host"));
            return;
        }
        fault.node = static_cast<uint32_t>(node);
    }
    for (const uint32_t link : fault.links)
    {
        const uint64_t rate = m_graph->GetLinks()[link].rateBps;
        if (fault.rateBps >= rate)
        {
            block.Error("rate",
                        "is not below that of " + m_graph->GetDirectedLinkName(2 * link) + ", " +
                            std::to_string(rate) + " bit/s");
            break;
        }
    }
}

void
ScenarioFaultReader::ResolveLink(const DocumentBlock& block, FaultSpec& fault) const
{
    const bool lose = fault.action == FaultAction::LOSE;
    if (fault.target == "*")
    {
        for (uint32_t link = 0; link < m_graph->GetNetworkPortCount() / 2; link++)
        {
            fault.links.push_back(link);
            fault.ports.push_back(2 * link);
            fault.ports.push_back(2 * link + 1);
        }
        return;
    }
    // "a->b" is the direction from a to b of the cable "a-b".
    std::string name = fault.target;
    const std::size_t arrow = name.find("->");
    if (arrow != std::string::npos)
    {
        name.erase(arrow + 1, 1);
    }
    const int64_t port = m_graph->FindDirectedLink(name);
    if (port < 0)
    {
        std::vector<std::string> names;
        for (uint32_t other = 0; other < m_graph->GetNetworkPortCount(); other++)
        {
            names.push_back(m_graph->GetDirectedLinkName(other));
        }
        block.Error("link", Diagnostics::Unknown("link", fault.target, names));
        return;
    }
    if (port >= m_graph->GetNetworkPortCount() && fault.action != FaultAction::DEGRADED)
    {
        // Nothing there would send again what is lost.
        block.Error("link", "is inside a host, where links can only be degraded");
        return;
    }
    if (arrow != std::string::npos && !lose)
    {
        block.Error("link",
                    "names one direction of a cable, which only action lose can concern; " + name +
                        " is the cable");
        return;
    }
    fault.links.push_back(static_cast<uint32_t>(port / 2));
    fault.ports.push_back(static_cast<uint32_t>(port));
    if (arrow == std::string::npos)
    {
        fault.ports.push_back(static_cast<uint32_t>(port ^ 1));
    }
}

void
ScenarioFaultReader::ResolveNic(const DocumentBlock& block, FaultSpec& fault) const
{
    std::vector<std::string> names;
    for (uint32_t port = 0; port < m_graph->GetNetworkPortCount(); port++)
    {
        if (m_graph->GetNodes()[m_graph->GetPortNode(port)].kind != TopologyNodeKind::HOST)
        {
            continue;
        }
        if (m_graph->GetPortName(port) == fault.target)
        {
            fault.links.push_back(port / 2);
            fault.ports.push_back(port);
            return;
        }
        names.push_back(m_graph->GetPortName(port));
    }
    block.Error("nic", Diagnostics::Unknown("NIC", fault.target, names));
}

void
ScenarioFaultReader::Match(std::vector<FaultSpec>& faults) const
{
    // By what must not be true twice at one time: a target's being down, its rate, its slowness.
    std::map<std::pair<std::string, std::string>, std::vector<FaultSpec*>> groups;
    for (FaultSpec& fault : faults)
    {
        std::string family = "state";
        if (fault.action == FaultAction::LOSE)
        {
            continue; // several kinds of loss may add up
        }
        if (fault.action == FaultAction::DEGRADED || fault.action == FaultAction::SLOW)
        {
            family = "rate";
        }
        // A cable by its id, as it has two names; "*" contradicts none of its kind but itself.
        const std::string target = fault.kind == "link" && fault.links.size() == 1
                                       ? std::to_string(fault.links[0])
                                       : fault.target;
        groups[{fault.kind + " " + target, family}].push_back(&fault);
    }
    for (auto& group : groups)
    {
        std::vector<FaultSpec*>& list = group.second;
        std::stable_sort(list.begin(), list.end(), [](const FaultSpec* a, const FaultSpec* b) {
            return a->atPs < b->atPs;
        });
        FaultSpec* last = nullptr;
        for (FaultSpec* fault : list)
        {
            if (fault->action == FaultAction::UP)
            {
                if (last == nullptr || last->endPs || last->atPs >= fault->atPs)
                {
                    m_diagnostics.Error(fault->mark,
                                        fault->path,
                                        fault->kind + " " + Diagnostics::Quote(fault->target) +
                                            " is not down by then: action up ends a down "
                                            "without `for` before it");
                    continue;
                }
                last->endPs = fault->atPs;
                continue;
            }
            if (last != nullptr && (!last->endPs || *last->endPs > fault->atPs))
            {
                m_diagnostics.Error(fault->mark,
                                    fault->path,
                                    "overlaps with " + last->path + " of the same " + fault->kind);
                continue;
            }
            last = fault;
        }
    }
}

} // namespace ns3
