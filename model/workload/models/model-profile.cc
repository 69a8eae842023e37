/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/model-profile.h"

#include "../../base/diagnostics.h"
#include "../../base/typed-block.h"

#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/training-model.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// The profile of a model with its attributes set.
std::optional<ModelProfile>
MakeChecked(Ptr<const TrainingModel> model,
            const std::string& name,
            uint32_t sequence,
            std::string& error)
{
    error = model->GetFault();
    const uint32_t defaultSequence = model->GetDefaultSequence();
    if (error.empty() && sequence > 0 && defaultSequence == 0)
    {
        error = "the samples of " + name + " are not sequences";
    }
    else if (error.empty() && sequence > model->GetMaximumSequence())
    {
        error = name + " has sequences of at most " + std::to_string(model->GetMaximumSequence()) +
                " tokens";
    }
    if (!error.empty())
    {
        return std::nullopt;
    }
    ModelProfile profile = model->MakeProfile(sequence > 0 ? sequence : defaultSequence);
    profile.name = name;
    return profile;
}

/// The measurement with the nearest number of tokens, by ratio; the shorter one of a tie.
const ModelMeasurement&
FindNearest(const std::vector<ModelMeasurement>& measurements, uint64_t sequence)
{
    const ModelMeasurement* nearest = &measurements.front();
    for (const ModelMeasurement& other : measurements)
    {
        // The geometric mean of two lengths is where the nearest one changes.
        const uint64_t product = static_cast<uint64_t>(nearest->sequence) * other.sequence;
        const bool longer = other.sequence > nearest->sequence;
        if (longer ? sequence * sequence > product : sequence * sequence < product)
        {
            nearest = &other;
        }
    }
    return *nearest;
}

} // namespace

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
        for (const ModelPreset& preset : model->GetPresets())
        {
            names.push_back(preset.name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::optional<ModelProfile>
ModelProfile::Make(const std::string& name, uint32_t sequence, std::string& error)
{
    for (const Ptr<TrainingModel>& model : TrainingModel::CreateAll())
    {
        const std::vector<ModelPreset> presets = model->GetPresets();
        const auto preset = std::find_if(presets.begin(), presets.end(), [&name](const auto& p) {
            return p.name == name;
        });
        if (preset == presets.end())
        {
            continue;
        }
        for (const auto& [attribute, value] : preset->attributes)
        {
            model->SetAttribute(attribute, StringValue(value));
        }
        std::optional<ModelProfile> profile = MakeChecked(model, name, sequence, error);
        if (profile && !preset->measurements.empty())
        {
            // Other lengths are scaled by MACs from the nearest measured one.
            const ModelMeasurement& nearest = FindNearest(preset->measurements, profile->sequence);
            const uint64_t measuredMacs = model->MakeProfile(nearest.sequence).GetForwardMacs();
            const uint64_t macs = profile->GetForwardMacs();
            profile->measuredSamples = nearest.samples;
            profile->measuredPs = nearest.computePs;
            if (macs != measuredMacs)
            {
                profile->measuredPs =
                    static_cast<int64_t>(static_cast<double>(nearest.computePs) *
                                         static_cast<double>(macs) / measuredMacs);
            }
        }
        return profile;
    }
    error = Diagnostics::Unknown("model", name, GetNames());
    return std::nullopt;
}

std::optional<ModelProfile>
ModelProfile::Make(const TypedBlock& block, uint32_t sequence, std::string& error)
{
    ObjectFactory factory;
    factory.SetTypeId(block.typeId);
    for (const AttributeSetting& setting : block.attributes)
    {
        factory.Set(setting.name, StringValue(setting.value));
    }
    return MakeChecked(factory.Create<TrainingModel>(), block.typeName, sequence, error);
}

} // namespace ns3
