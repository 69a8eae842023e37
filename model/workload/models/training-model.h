/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TRAINING_MODEL_H
#define GPU_FABRIC_TRAINING_MODEL_H

#include "ns3/model-profile.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// A measured compute time of a preset.
struct ModelMeasurement
{
    uint32_t sequence{0}; ///< tokens a sample; 0: samples are not sequences
    uint32_t samples{1};  ///< samples a GPU an iteration
    int64_t computePs{0}; ///< forward and backward pass on one GPU [ps]
};

/// A name for values of a model's attributes.
struct ModelPreset
{
    std::string name; ///< as scenarios use it, e.g. "bert-large"
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<ModelMeasurement> measurements{}; ///< on one A100, mixed precision
};

/**
 * Makes the profile of a family of models. A subclass, with a constructor, is one self-registered
 * file; its attributes are the family's parameters, and keys of the scenario's
 * `model: {type: Name, ...}`, where ns3::NameModel is its TypeId.
 */
class TrainingModel : public Object
{
  public:
    static TypeId GetTypeId();

    /// Names for members of the family that people know.
    virtual std::vector<ModelPreset> GetPresets() const;
    /// Tokens a sample unless a job says otherwise; 0: samples are not sequences.
    virtual uint32_t GetDefaultSequence() const;
    /// Most tokens a sample that the model's position embedding allows.
    virtual uint32_t GetMaximumSequence() const;
    /// What is wrong with the values of the attributes together, one sentence; empty: nothing.
    virtual std::string GetFault() const;
    /// \param sequence tokens a sample; 0 where samples are not sequences
    virtual ModelProfile MakeProfile(uint32_t sequence) const = 0;

    /// One of each registered model, in order of TypeId names.
    static std::vector<Ptr<TrainingModel>> CreateAll();

  protected:
    /**
     * Tokens of a sentence with its padding.
     * \param tokens those that are not padding
     * \param fill share of a batch's tokens that are not padding, in (0, 1]
     */
    static uint64_t GetPadded(uint32_t tokens, double fill);
};

} // namespace ns3

#endif // GPU_FABRIC_TRAINING_MODEL_H
