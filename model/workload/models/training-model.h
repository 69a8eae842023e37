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
    uint32_t sequence{0}; ///< tokens per sample; 0: samples are not sequences
    uint32_t samples{1};  ///< samples per GPU and iteration
    int64_t computePs{0}; ///< forward and backward pass on one GPU [ps]
};

/// A name for a set of values of a model's attributes.
struct ModelPreset
{
    std::string name; ///< as used in scenarios, e.g. "bert-large"
    std::vector<std::pair<std::string, std::string>> attributes;
    std::vector<ModelMeasurement> measurements{}; ///< on one A100, mixed precision
};

/**
 * Creates the profiles of a family of models. A subclass, with a constructor, is one
 * self-registered file; its attributes are the parameters of the family and the keys of the
 * scenario's `model: {type: Name, ...}`, where ns3::NameModel is its TypeId.
 */
class TrainingModel : public Object
{
  public:
    static TypeId GetTypeId();

    /// Names of well-known members of the family.
    virtual std::vector<ModelPreset> GetPresets() const;
    /// Tokens per sample unless the job overrides them; 0: samples are not sequences.
    virtual uint32_t GetDefaultSequence() const;
    /// Maximum number of tokens per sample that the model's position embedding allows.
    virtual uint32_t GetMaximumSequence() const;
    /// Why the values of the attributes are inconsistent, one sentence; empty if they are valid.
    virtual std::string GetFault() const;
    /// \param sequence tokens per sample; 0 if samples are not sequences
    virtual ModelProfile MakeProfile(uint32_t sequence) const = 0;

    /// One object of each registered model, in order of TypeId names.
    static std::vector<Ptr<TrainingModel>> CreateAll();

  protected:
    /**
     * Number of tokens of a sentence including its padding.
     * \param tokens tokens that are not padding
     * \param fill share of a batch's tokens that are not padding, in (0, 1]
     */
    static uint64_t GetPadded(uint32_t tokens, double fill);
};

} // namespace ns3

#endif // GPU_FABRIC_TRAINING_MODEL_H
