/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-checker.h"

#include <cstdlib>

namespace ns3
{

namespace
{

std::vector<std::string>
Keys(const std::map<std::string, std::vector<std::string>>& map)
{
    std::vector<std::string> keys;
    for (const auto& entry : map)
    {
        keys.push_back(entry.first);
    }
    return keys;
}

} // namespace

ScenarioChecker::ScenarioChecker(Diagnostics& diagnostics, const DocumentNode& root, bool unknown)
    : m_diagnostics(diagnostics),
      m_root(root),
      m_unknown(unknown)
{
}

SourceMark
ScenarioChecker::GetMark(const std::vector<std::string>& keys) const
{
    const DocumentNode* node = &m_root;
    for (const std::string& key : keys)
    {
        const DocumentNode* next = node->IsMap() ? node->Find(key) : nullptr;
        if (next == nullptr)
        {
            break;
        }
        node = next;
    }
    return node->GetMark();
}

void
ScenarioChecker::Check(Scenario& scenario, const Names& written, bool graphGood)
{
    CheckJobNames(scenario);
    CheckUntil(scenario, written);
    CheckMeasure(scenario, written);
    if (graphGood)
    {
        CheckBottleneck(scenario);
    }
    CheckStop(scenario);
    CheckEcn(scenario);
}

void
ScenarioChecker::CheckJobNames(const Scenario& scenario)
{
    std::map<std::string, const JobSpec*> first;
    for (const JobSpec& job : scenario.jobs)
    {
        const auto inserted = first.emplace(job.name, &job);
        if (!inserted.second)
        {
            m_diagnostics.Error(job.GetMark("name"),
                                job.path + ".name",
                                "a job " + Diagnostics::Quote(job.name) + " exists already, " +
                                    inserted.first->second->path);
        }
    }
}

void
ScenarioChecker::CheckUntil(const Scenario& scenario, const Names& written)
{
    std::map<std::string, bool> ends; // by name of a job: whether it has a number of iterations
    Names names = written;
    for (const JobSpec& job : scenario.jobs)
    {
        ends[job.name] = job.until.empty() || job.iterations > 0;
        names[job.name] = {job.name};
    }
    for (const JobSpec& job : scenario.jobs)
    {
        if (job.until.empty())
        {
            continue;
        }
        const std::string path = job.path + ".until";
        const auto found = names.find(job.until);
        if (found == names.end())
        {
            m_diagnostics.Error(job.GetMark("until"),
                                path,
                                Diagnostics::Unknown("job", job.until, Keys(names)));
            continue;
        }
        for (const std::string& other : found->second)
        {
            if (other == job.name)
            {
                m_diagnostics.Error(job.GetMark("until"), path, "the job waits for itself");
            }
            else if (!ends[other])
            {
                m_diagnostics.Error(job.GetMark("until"),
                                    path,
                                    "job " + Diagnostics::Quote(job.until) +
                                        " has no iterations, so that it would never end this one");
                break;
            }
        }
    }
}

void
ScenarioChecker::CheckMeasure(Scenario& scenario, const Names& written)
{
    const MeasureSpec& measure = scenario.measure;
    if (measure.from && measure.to && *measure.from >= *measure.to)
    {
        m_diagnostics.Error(GetMark({"measure", "to"}),
                            "measure.to",
                            "the window ends before it starts: to must be after from");
    }
    Names names = written;
    for (const JobSpec& job : scenario.jobs)
    {
        names[job.name] = {job.name};
    }
    std::vector<std::string> jobs;
    for (std::size_t i = 0; i < measure.jobs.size(); i++)
    {
        const auto found = names.find(measure.jobs[i]);
        if (found == names.end())
        {
            const DocumentNode* list = m_root.Find("measure")->Find("jobs");
            m_diagnostics.Error(list->items[i].GetMark(),
                                "measure.jobs[" + std::to_string(i) + "]",
                                Diagnostics::Unknown("job", measure.jobs[i], Keys(names)));
            continue;
        }
        jobs.insert(jobs.end(), found->second.begin(), found->second.end());
    }
    scenario.measure.jobs = jobs;
}

void
ScenarioChecker::CheckBottleneck(const Scenario& scenario)
{
    if (scenario.bottleneck.empty())
    {
        return;
    }
    const int64_t link = scenario.graph.FindDirectedLink(scenario.bottleneck);
    if (link >= 0 && link < scenario.graph.GetNetworkPortCount())
    {
        if (!scenario.record.jobs)
        {
            m_diagnostics.Error(GetMark({"bottleneck"}),
                                "bottleneck",
                                "what jobs send on a link is told by what \"record\" calls jobs, "
                                "add it there");
        }
        return;
    }
    std::vector<std::string> names;
    for (uint32_t port = 0; port < scenario.graph.GetNetworkPortCount(); port++)
    {
        names.push_back(scenario.graph.GetDirectedLinkName(port));
    }
    m_diagnostics.Error(GetMark({"bottleneck"}),
                        "bottleneck",
                        Diagnostics::Unknown("link", scenario.bottleneck, names));
}

void
ScenarioChecker::CheckStop(const Scenario& scenario)
{
    // As written, so that a faulty job or time is not reported twice.
    const DocumentNode* stop = m_root.Find("stop");
    const bool haveTime = stop != nullptr && stop->Find("time") != nullptr;
    const bool haveWork = m_root.Find("jobs") != nullptr || m_root.Find("flows") != nullptr;
    // A recorder of your own may send something itself.
    if (scenario.jobs.empty() && scenario.flows.empty() && scenario.record.recorders.empty() &&
        !m_diagnostics.HasErrors() && !m_unknown)
    {
        m_diagnostics.Error(
            GetMark({haveWork && m_root.Find("jobs") == nullptr ? "flows" : "jobs"}),
            "",
            "there is nothing to run: no jobs and no flows");
        return;
    }
    if (!haveTime && scenario.stopWhen == StopCondition::TIME)
    {
        m_diagnostics.Error(GetMark({"stop", "when"}),
                            "stop.when",
                            "the run would never end: time is missing");
    }
    else if (!haveTime && !haveWork && !m_unknown)
    {
        m_diagnostics.Error(
            GetMark({"stop"}),
            "stop",
            "there are no jobs, no flows and no time: nothing would ever end the run");
    }
}

void
ScenarioChecker::CheckEcn(const Scenario& scenario)
{
    const AttributeSetting* kmin = nullptr;
    const AttributeSetting* kmax = nullptr;
    for (const AttributeSetting& setting : scenario.defaults)
    {
        kmin = setting.name == "ns3::RedEcnMarker::Kmin" ? &setting : kmin;
        kmax = setting.name == "ns3::RedEcnMarker::Kmax" ? &setting : kmax;
    }
    if (kmin == nullptr || kmax == nullptr)
    {
        return;
    }
    // Plain integers at this point [byte].
    const uint64_t low = std::strtoull(kmin->value.c_str(), nullptr, 10);
    const uint64_t high = std::strtoull(kmax->value.c_str(), nullptr, 10);
    if (low > high)
    {
        m_diagnostics.Error(kmin->mark,
                            "defaults." + kmin->name,
                            "Kmin (" + kmin->value + " B) is above Kmax (" + kmax->value + " B)");
    }
}

} // namespace ns3
