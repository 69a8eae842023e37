/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRAINING_MODEL_H
#define GPU_FABRIC_TRAINING_MODEL_H

#include "ns3/model-profile.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Makes the profile of a model. A subclass, with a constructor, is one self-registered file.
class TrainingModel : public Object
{
  public:
    static TypeId GetTypeId();

    /// The name scenarios use, e.g. "bert-large".
    virtual std::string GetModelName() const = 0;
    /// Tokens a sample unless a job says otherwise; 0: samples are not sequences.
    virtual uint32_t GetDefaultSequence() const;
    /// Most tokens a sample that the model's position embedding allows.
    virtual uint32_t GetMaximumSequence() const;
    /// \param sequence tokens a sample; 0 where samples are not sequences
    virtual ModelProfile MakeProfile(uint32_t sequence) const = 0;

    /// One of each registered model, in order of TypeId names.
    static std::vector<Ptr<TrainingModel>> CreateAll();
};

} // namespace ns3

#endif // GPU_FABRIC_TRAINING_MODEL_H
