/* SPDX-License-Identifier: GPL-2.0-only */
#include "tiresias-placement.h"

#include "../base/enum-value.h"
#include "../base/text-value.h"
#include "../base/ties.h"
#include "../scheduler/cassini/cassini-plan.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/string.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TiresiasPlacement");

NS_OBJECT_ENSURE_REGISTERED(TiresiasPlacement);

namespace
{

std::string
GetLower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

/// Validates a list of name prefixes; returns a sentence if it is invalid.
std::string
FindModelsFault(const std::string& text)
{
    std::istringstream names(text + ",");
    for (std::string name; std::getline(names, name, ',');)
    {
        if (!text.empty() && (name.empty() || name.find(' ') != std::string::npos))
        {
            return "wants beginnings of names with commas and without blanks, as \"vgg,alexnet\"";
        }
    }
    return "";
}

} // namespace

TypeId
TiresiasPlacement::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TiresiasPlacement")
            .SetParent<PlacementPolicy>()
            .SetGroupName("GpuFabric")
            .AddConstructor<TiresiasPlacement>()
            .AddAttribute("Skew",
                          "Which jobs are consolidated: those of SkewedModels (Tiresias, NSDI "
                          "2019, measures the sizes of tensors), or those that would communicate "
                          "for more than Threshold of their compute time where FirstFit puts them.",
                          NameValue<SkewRule>(SkewRule::MODEL),
                          MakeNameAccessor<SkewRule>(&TiresiasPlacement::m_rule),
                          MakeNameChecker<SkewRule>())
            .AddAttribute("SkewedModels",
                          "Beginnings of the names of models with skewed tensors, with commas.",
                          TextValue("vgg,alexnet"),
                          MakeTextAccessor(&TiresiasPlacement::m_models),
                          MakeTextChecker(&FindModelsFault))
            .AddAttribute("Threshold",
                          "Time of communication over compute time above which a job counts as "
                          "skewed under the rule traffic.",
                          DoubleValue(0.25),
                          MakeDoubleAccessor(&TiresiasPlacement::m_threshold),
                          MakeDoubleChecker<double>(0));
    return tid;
}

bool
TiresiasPlacement::IsSkewed(const PlacementView& view,
                            const PlacementRequest& request,
                            const std::vector<Placement>& anywhere,
                            std::string& why) const
{
    if (m_rule == SkewRule::TRAFFIC)
    {
        if (view.jobs == nullptr || anywhere.empty())
        {
            return false;
        }
        const JobView job = view.jobs->GetJobOn(request.job, anywhere.front().gpus);
        const CassiniPlan::Profile profile = CassiniPlan::GetProfile(*view.topology, job);
        const bool much = IsAbove(static_cast<double>(profile.communicationPs),
                                  m_threshold * static_cast<double>(job.computePs));
        why = much ? "much traffic" : "little traffic";
        return much;
    }
    std::istringstream names(m_models);
    for (std::string name; std::getline(names, name, ',');)
    {
        if (!name.empty() && GetLower(request.model).rfind(GetLower(name), 0) == 0)
        {
            why = "skewed model";
            return true;
        }
    }
    why = "no skewed model";
    return false;
}

std::vector<Placement>
TiresiasPlacement::Rank(const PlacementView& view, const PlacementRequest& request) const
{
    NS_LOG_FUNCTION(this << request.job << request.gpus);
    std::vector<Placement> ranked = CreateObject<FirstFitPlacement>()->Rank(view, request);
    std::string why;
    if (IsSkewed(view, request, ranked, why))
    {
        ranked = CreateObject<BestFitPlacement>()->Rank(view, request);
    }
    for (Placement& placement : ranked)
    {
        placement.reason = why + ": " + placement.reason;
    }
    return ranked;
}

} // namespace ns3
