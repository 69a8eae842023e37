/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PLAIN_COLLECTIVES_H
#define GPU_FABRIC_PLAIN_COLLECTIVES_H

#include "gradient-exchange.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Every step is one collective of its communicator, started in program order.
class PlainCollectives : public GradientExchange
{
  public:
    static TypeId GetTypeId();

    bool Carries(const IterationProgram& program) const override;
    void Issue(int64_t now, uint32_t rank, const ProgramStep& step) override;
    int64_t GetLastPostPs(uint32_t rank, uint32_t communicator, uint64_t number) const override;
    uint64_t GetIteration(uint32_t communicator, uint32_t collective) const override;

  private:
    void DoConfigure() override;
    void RankFinished(int64_t now,
                      uint32_t communicator,
                      uint32_t rank,
                      uint32_t collective,
                      int64_t lastPostPs) override;

    std::vector<std::vector<uint32_t>> m_rankInCommunicator; ///< by rank and slot
    std::vector<uint32_t> m_collectivesPerIteration;         ///< by communicator
};

} // namespace ns3

#endif // GPU_FABRIC_PLAIN_COLLECTIVES_H
