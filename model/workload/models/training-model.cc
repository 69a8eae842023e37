/* SPDX-License-Identifier: GPL-2.0-only */
#include "ns3/training-model.h"

#include "ns3/object-factory.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TrainingModel);

TypeId
TrainingModel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::TrainingModel").SetParent<Object>().SetGroupName("GpuFabric");
    return tid;
}

std::vector<ModelPreset>
TrainingModel::GetPresets() const
{
    return {};
}

uint32_t
TrainingModel::GetDefaultSequence() const
{
    return 0;
}

uint32_t
TrainingModel::GetMaximumSequence() const
{
    return GetDefaultSequence();
}

std::string
TrainingModel::GetFault() const
{
    return "";
}

std::vector<Ptr<TrainingModel>>
TrainingModel::CreateAll()
{
    std::vector<TypeId> types;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.IsChildOf(GetTypeId()) && tid.HasConstructor())
        {
            types.push_back(tid);
        }
    }
    std::sort(types.begin(), types.end(), [](const TypeId& a, const TypeId& b) {
        return a.GetName() < b.GetName();
    });
    std::vector<Ptr<TrainingModel>> models;
    for (const TypeId& tid : types)
    {
        ObjectFactory factory;
        factory.SetTypeId(tid);
        models.push_back(factory.Create<TrainingModel>());
    }
    return models;
}

uint64_t
TrainingModel::GetPadded(uint32_t tokens, double fill)
{
    return static_cast<uint64_t>(std::ceil(tokens / fill));
}

} // namespace ns3
