/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PARALLEL_LAYOUT_H
#define GPU_FABRIC_PARALLEL_LAYOUT_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * The roles of ranks if a model is partitioned by tensor, pipeline and data parallelism, laid out
 * as in Megatron-LM (Narayanan et al., SC 2021; megatron/core/parallel_state.py): tensor-parallel
 * ranks are neighbours, then come replicas, then stages ("tp-dp-pp"), or stages before replicas
 * ("tp-pp-dp"). Experts are distributed over neighbouring replicas. All groups are in rank order.
 */
class ParallelLayout
{
  public:
    /// The coordinates of a rank.
    struct Place
    {
        uint32_t tensor{0};
        uint32_t data{0};
        uint32_t stage{0};
    };

    /**
     * \param tensor GPUs that share a layer \param data replicas \param pipeline stages
     * \param expert replicas that share the experts, a divisor of data
     * \param stagesFirst stages come before replicas
     */
    ParallelLayout(uint32_t tensor,
                   uint32_t data,
                   uint32_t pipeline,
                   uint32_t expert = 1,
                   bool stagesFirst = false);

    uint32_t GetTensor() const
    {
        return m_tensor;
    }

    uint32_t GetData() const
    {
        return m_data;
    }

    uint32_t GetPipeline() const
    {
        return m_pipeline;
    }

    uint32_t GetExpert() const
    {
        return m_expert;
    }

    uint32_t GetRanks() const
    {
        return m_tensor * m_data * m_pipeline;
    }

    Place GetPlace(uint32_t rank) const;
    uint32_t GetRank(const Place& place) const;

    /// Ranks that share the layers of a rank.
    std::vector<uint32_t> GetTensorGroup(const Place& place) const;
    /// Ranks with the same part of the model in other replicas.
    std::vector<uint32_t> GetDataGroup(const Place& place) const;
    /// The stages of a rank's replica.
    std::vector<uint32_t> GetPipelineGroup(const Place& place) const;
    /// Ranks that hold other experts of the same layers.
    std::vector<uint32_t> GetExpertGroup(const Place& place) const;
    /// Ranks that hold the same experts.
    std::vector<uint32_t> GetExpertDataGroup(const Place& place) const;

  private:
    uint32_t m_tensor;
    uint32_t m_data;
    uint32_t m_pipeline;
    uint32_t m_expert;
    bool m_stagesFirst;
};

} // namespace ns3

#endif // GPU_FABRIC_PARALLEL_LAYOUT_H
