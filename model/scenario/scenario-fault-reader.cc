/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-fault-reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace ns3
{

namespace
{

/// Maximum number of outages of a flapping link, each of which recalculates routes.
constexpr int64_t MAX_OUTAGES = 1'000'000;

/// The actions that apply to a kind of target.
std::vector<FaultAction>
GetActionsOf(FaultTarget target)
{
    switch (target)
    {
    case FaultTarget::LINK:
        return {FaultAction::DOWN,
                FaultAction::UP,
                FaultAction::DEGRADED,
                FaultAction::FLAPPING,
                FaultAction::LOSE};
    case FaultTarget::NIC:
        return {FaultAction::DOWN, FaultAction::UP, FaultAction::SLOW, FaultAction::STORM};
    case FaultTarget::SWITCH:
    case FaultTarget::HOST:
        break;
    }
    return {FaultAction::DOWN, FaultAction::UP};
}

/// The required and optional keys of an action, apart from its target.
struct ActionKeys
{
    std::vector<std::string> required;
    std::vector<std::string> optional;
};

ActionKeys
GetKeysOf(FaultAction action)
{
    switch (action)
    {
    case FaultAction::LOSE:
        return {{"probability"}, {"from", "to", "frames"}};
    case FaultAction::FLAPPING:
        return {{"at", "for", "period"}, {"duty"}};
    case FaultAction::DEGRADED:
    case FaultAction::SLOW:
        return {{"at", "rate"}, {"for"}};
    case FaultAction::STORM:
        return {{"at"}, {"for", "priority"}};
    case FaultAction::DOWN:
        return {{"at"}, {"for"}};
    case FaultAction::UP:
        break;
    }
    return {{"at"}, {}};
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

const DocumentTable<ScenarioFaultReader::Entry>&
ScenarioFaultReader::GetTable()
{
    using S = Entry;
    static const DocumentTable<S> table(
        "fault",
        {Key("at", &S::at, Form::Time(), "When it happens.").Otherwise(""),
         Key("for", &S::duration, Form::Time(1), "How long it lasts.")
             .Otherwise("to the end of the run"),
         Key("from", &S::from, Form::Time(), "lose: start of the time."),
         Key("to", &S::to, Form::Time(1), "lose: end of the time.").Otherwise("the end of the run"),
         Key(ToName(FaultTarget::LINK),
             &S::link,
             Form::Text(),
             "A cable, such as leaf0-spine1, or \"*\" for all; lose: leaf0->spine1 for one "
             "direction."),
         Key(ToName(FaultTarget::SWITCH), &S::switchName, Form::Text(), "A switch."),
         Key(ToName(FaultTarget::NIC), &S::nic, Form::Text(), "A NIC, such as host3.nic0."),
         Key(ToName(FaultTarget::HOST), &S::host, Form::Text(), "A host."),
         Key("action",
             &S::action,
             Form::Choice<FaultAction>(),
             "What happens: link: down, up, degraded, flapping, lose; switch and host: down, up; "
             "nic: down, up, slow, storm.")
             .Required(),
         Key("rate",
             &S::rate,
             Form::Rate(),
             "degraded: rate of the link; slow: at which the NIC takes frames."),
         Key("period", &S::period, Form::Time(1), "flapping: from one going down to the next."),
         Key("duty",
             &S::duty,
             Form::Percentage(),
             "flapping: share of the period for which it is down."),
         Key("frames",
             &S::frames,
             Form::Scalars(),
             "lose: some of data (READ requests included), pause, ack, cnp, nak.")
             .Otherwise("all"),
         Key("probability", &S::probability, Form::Percentage(), "lose: of each frame."),
         Key("priority",
             &S::priority,
             Form::Integer(0, 9),
             "storm: the priority that the NIC pauses, a lossless one.")
             .Otherwise("every lossless one")});
    return table;
}

const BlockKeys&
ScenarioFaultReader::GetKeys()
{
    return GetTable().GetInfo();
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
    Entry entry;
    const DocumentBlock block = GetTable().Read(node, path, m_diagnostics, entry);
    if (!block.IsComplete())
    {
        return;
    }
    FaultSpec fault;
    fault.path = path;
    fault.mark = node.GetMark();
    std::vector<std::string> written;
    for (const auto& [kind, name] : {std::make_pair(FaultTarget::LINK, &entry.link),
                                     std::make_pair(FaultTarget::SWITCH, &entry.switchName),
                                     std::make_pair(FaultTarget::NIC, &entry.nic),
                                     std::make_pair(FaultTarget::HOST, &entry.host)})
    {
        if (block.Has(ToName(kind)))
        {
            written.emplace_back(ToName(kind));
            fault.kind = kind;
            fault.target = *name;
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
    if (!entry.action || fault.target.empty())
    {
        return;
    }
    fault.action = *entry.action;
    const std::vector<FaultAction> actions = GetActionsOf(fault.kind);
    if (std::find(actions.begin(), actions.end(), fault.action) == actions.end())
    {
        std::string valid;
        for (const FaultAction action : actions)
        {
            valid += (valid.empty() ? "" : ", ") + std::string(ToName(action));
        }
        block.Error("action",
                    std::string("a ") + ToName(fault.kind) + " cannot be " +
                        Diagnostics::Quote(ToName(fault.action)) + "; valid actions: " + valid);
        return;
    }
    if (!CheckKeys(block, fault.action))
    {
        return;
    }
    const int errors = m_diagnostics.GetErrorCount();
    fault.rate = entry.rate.value_or(BitRate());
    fault.priority = entry.priority;
    ReadTimes(block, entry, fault);
    ReadFrames(block, entry, fault);
    Resolve(block, fault);
    if (block.IsRight() && m_diagnostics.GetErrorCount() == errors)
    {
        faults.push_back(fault);
    }
}

bool
ScenarioFaultReader::CheckKeys(const DocumentBlock& block, FaultAction action) const
{
    const ActionKeys keys = GetKeysOf(action);
    bool good = true;
    for (const std::string& name : GetKeys().ListNames())
    {
        const bool there = block.Has(name);
        if (there && name != "action" && !FromName<FaultTarget>(name) &&
            !Contains(keys.required, name) && !Contains(keys.optional, name))
        {
            block.Error(name, std::string("action ") + ToName(action) + " does not use it");
            good = false;
        }
        if (!there && Contains(keys.required, name))
        {
            // The same wording as for a key that is always required.
            block.Error("action", name + " is missing for action " + ToName(action));
            good = false;
        }
    }
    return good;
}

void
ScenarioFaultReader::ReadTimes(const DocumentBlock& block,
                               const Entry& entry,
                               FaultSpec& fault) const
{
    const bool lose = fault.action == FaultAction::LOSE;
    const char* const start = lose ? "from" : "at";
    fault.at = lose ? entry.from : entry.at;
    if (lose)
    {
        fault.end = entry.to;
        if (fault.end && *fault.end <= fault.at)
        {
            block.Error("to", "the loss ends before it starts: to must be after from");
        }
    }
    else if (entry.duration)
    {
        if (*entry.duration > Time::Max() - fault.at)
        {
            block.Error("for", "the fault ends later than a run can last");
            return;
        }
        fault.end = fault.at + *entry.duration;
    }
    if (m_stopPs > 0 && fault.at >= PicoSeconds(m_stopPs))
    {
        block.Error(start, "the run has ended by then: stop.time is not after it");
    }
    if (fault.action != FaultAction::FLAPPING)
    {
        return;
    }
    fault.period = entry.period.value_or(Time());
    fault.down = PicoSeconds(
        static_cast<int64_t>(entry.duty * static_cast<double>(fault.period.GetPicoSeconds())));
    const bool periodic = fault.period.IsStrictlyPositive();
    if (periodic && (!fault.down.IsStrictlyPositive() || fault.down >= fault.period))
    {
        block.Error(block.Find("duty") != nullptr ? "duty" : "period",
                    "the link must be down for a part of the period and up for the rest");
    }
    if (fault.end && fault.period > *fault.end - fault.at)
    {
        block.Error("period", "the fault is over before the first period is");
    }
    if (fault.end && periodic &&
        (*fault.end - fault.at).GetPicoSeconds() / fault.period.GetPicoSeconds() > MAX_OUTAGES)
    {
        block.Error("period",
                    "the link would go down more than " + std::to_string(MAX_OUTAGES) +
                        " times: the run would hardly end");
    }
}

void
ScenarioFaultReader::ReadFrames(const DocumentBlock& block,
                                const Entry& entry,
                                FaultSpec& fault) const
{
    fault.probability = entry.probability.value_or(0);
    if (entry.probability && fault.probability <= 0)
    {
        block.Error("probability", "must be above 0 %");
    }
    for (const DocumentNode* frame : entry.frames)
    {
        const auto known = FromName<LostFrames>(frame->text);
        if (!known)
        {
            m_diagnostics.Error(
                frame->GetMark(),
                fault.path + ".frames",
                Diagnostics::Unknown("frame", frame->text, ListNames<LostFrames>()));
            continue;
        }
        fault.frames.push_back(*known);
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
    if (fault.kind == FaultTarget::LINK)
    {
        ResolveLink(block, fault);
    }
    else if (fault.kind == FaultTarget::NIC)
    {
        ResolveNic(block, fault);
    }
    else
    {
        const TopologyNodeKind kind =
            fault.kind == FaultTarget::SWITCH ? TopologyNodeKind::SWITCH : TopologyNodeKind::HOST;
        const int64_t node = m_graph->FindNode(fault.target);
        if (node < 0 || m_graph->GetNodes()[node].kind != kind)
        {
            block.Error(ToName(fault.kind),
                        node < 0
                            ? Diagnostics::Unknown(std::string(ToName(fault.kind)) + " name",
                                                   fault.target,
                                                   ListNodes(kind))
                            : Diagnostics::Quote(fault.target) +
                                  (kind == TopologyNodeKind::SWITCH ? " is a host, not a switch"
                                                                    : " is a switch, not a host"));
            return;
        }
        fault.node = static_cast<uint32_t>(node);
    }
    for (const uint32_t link : fault.links)
    {
        const uint64_t rate = m_graph->GetLinks()[link].rateBps;
        if (fault.rate.Get() >= rate)
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
        // Nothing there retransmits lost data.
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
    // Grouped by the states that must not overlap: a target being down, its rate, its slowdown.
    std::map<std::tuple<FaultTarget, std::string, std::string>, std::vector<FaultSpec*>> groups;
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
        if (fault.action == FaultAction::STORM)
        {
            family = "storm";
        }
        // A cable is identified by its id, because it has two names; "*" contradicts only itself.
        const std::string target = fault.kind == FaultTarget::LINK && fault.links.size() == 1
                                       ? std::to_string(fault.links[0])
                                       : fault.target;
        groups[{fault.kind, target, family}].push_back(&fault);
    }
    for (auto& group : groups)
    {
        std::vector<FaultSpec*>& list = group.second;
        std::stable_sort(list.begin(), list.end(), [](const FaultSpec* a, const FaultSpec* b) {
            return a->at < b->at;
        });
        FaultSpec* last = nullptr;
        for (FaultSpec* fault : list)
        {
            if (fault->action == FaultAction::UP)
            {
                if (last == nullptr || last->end || last->at >= fault->at)
                {
                    m_diagnostics.Error(fault->mark,
                                        fault->path,
                                        std::string(ToName(fault->kind)) + " " +
                                            Diagnostics::Quote(fault->target) +
                                            " is not down by then: action up ends a down "
                                            "without `for` before it");
                    continue;
                }
                last->end = fault->at;
                continue;
            }
            if (last != nullptr && (!last->end || *last->end > fault->at))
            {
                m_diagnostics.Error(fault->mark,
                                    fault->path,
                                    "overlaps with " + last->path + " of the same " +
                                        ToName(fault->kind));
                continue;
            }
            last = fault;
        }
    }
}

} // namespace ns3
