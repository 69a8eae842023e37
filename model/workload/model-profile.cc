/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/model-profile.h"

#include "ns3/training-model.h"

#include <algorithm>

namespace ns3
{

uint64_t
ModelProfile::GetParameters() const
{
    uint64_t sum = 0;
    for (const ModelLayer& layer : layers)
    {
        sum += layer.parameters;
    }
    return sum;
}

uint64_t
ModelProfile::GetForwardMacs() const
{
    uint64_t sum = 0;
    for (const ModelLayer& layer : layers)
    {
        sum += layer.forwardMacs;
    }
    return sum;
}

int64_t
ModelProfile::GetComputePs(uint32_t samplesPerGpu) const
{
    __extension__ using Product = __int128;
    return static_cast<int64_t>(static_cast<Product>(measuredPs) * samplesPerGpu / measuredSamples);
}

std::vector<std::string>
ModelProfile::GetNames()
{
    std::vector<std::string> names;
    for (const Ptr<TrainingModel>& model : TrainingModel::CreateAll())
    {
        names.push_back(model->GetModelName());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<ModelProfile>
ModelProfile::Make(const std::string& name, uint32_t sequence, std::string& error)
{
    for (const Ptr<TrainingModel>& model : TrainingModel::CreateAll())
    {
        if (model->GetModelName() != name)
        {
            continue;
        }
        const uint32_t defaultSequence = model->GetDefaultSequence();
        if (sequence > 0 && defaultSequence == 0)
        {
            error = "the samples of " + name + " are not sequences";
            return std::nullopt;
        }
        if (sequence > model->GetMaximumSequence())
        {
            error = name + " has sequences of at most " +
                    std::to_string(model->GetMaximumSequence()) + " tokens";
            return std::nullopt;
        }
        ModelProfile profile = model->MakeProfile(sequence > 0 ? sequence : defaultSequence);
        profile.name = name;
        return profile;
    }
    error = "unknown model '" + name + "'; valid:";
    for (const std::string& valid : GetNames())
    {
        error += " " + valid;
    }
    return std::nullopt;
}

} // namespace ns3
