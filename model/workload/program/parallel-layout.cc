/* SPDX-License-Identifier: GPL-2.0-only */
#include "parallel-layout.h"

#include "ns3/abort.h"

namespace ns3
{

ParallelLayout::ParallelLayout(uint32_t tensor,
                               uint32_t data,
                               uint32_t pipeline,
                               uint32_t expert,
                               bool stagesFirst)
    : m_tensor(tensor),
      m_data(data),
      m_pipeline(pipeline),
      m_expert(expert),
      m_stagesFirst(stagesFirst)
{
    NS_ABORT_MSG_IF(tensor == 0 || data == 0 || pipeline == 0 || expert == 0 || data % expert != 0,
                    "no layout of tensor " << tensor << ", data " << data << ", pipeline "
                                           << pipeline << " and expert " << expert);
}

ParallelLayout::Place
ParallelLayout::GetPlace(uint32_t rank) const
{
    const uint32_t replica = rank / m_tensor;
    return m_stagesFirst ? Place{rank % m_tensor, replica / m_pipeline, replica % m_pipeline}
                         : Place{rank % m_tensor, replica % m_data, replica / m_data};
}

uint32_t
ParallelLayout::GetRank(const Place& place) const
{
    return place.tensor + m_tensor * (m_stagesFirst ? place.stage + m_pipeline * place.data
                                                    : place.data + m_data * place.stage);
}

std::vector<uint32_t>
ParallelLayout::GetTensorGroup(const Place& place) const
{
    std::vector<uint32_t> group;
    for (uint32_t tensor = 0; tensor < m_tensor; tensor++)
    {
        group.push_back(GetRank({tensor, place.data, place.stage}));
    }
    return group;
}

std::vector<uint32_t>
ParallelLayout::GetDataGroup(const Place& place) const
{
    std::vector<uint32_t> group;
    for (uint32_t data = 0; data < m_data; data++)
    {
        group.push_back(GetRank({place.tensor, data, place.stage}));
    }
    return group;
}

std::vector<uint32_t>
ParallelLayout::GetPipelineGroup(const Place& place) const
{
    std::vector<uint32_t> group;
    for (uint32_t stage = 0; stage < m_pipeline; stage++)
    {
        group.push_back(GetRank({place.tensor, place.data, stage}));
    }
    return group;
}

std::vector<uint32_t>
ParallelLayout::GetExpertGroup(const Place& place) const
{
    std::vector<uint32_t> group;
    for (uint32_t expert = 0; expert < m_expert; expert++)
    {
        const uint32_t first = place.data / m_expert * m_expert;
        group.push_back(GetRank({place.tensor, first + expert, place.stage}));
    }
    return group;
}

std::vector<uint32_t>
ParallelLayout::GetExpertDataGroup(const Place& place) const
{
    std::vector<uint32_t> group;
    for (uint32_t data = place.data % m_expert; data < m_data; data += m_expert)
    {
        group.push_back(GetRank({place.tensor, data, place.stage}));
    }
    return group;
}

} // namespace ns3
