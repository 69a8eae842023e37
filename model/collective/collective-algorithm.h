/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_COLLECTIVE_ALGORITHM_H
#define GPU_FABRIC_COLLECTIVE_ALGORITHM_H

#include "ns3/collective-schedule.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * Builds the schedules of collectives. A subclass is one self-registered file; a program names it
 * by its TypeId without "ns3::" and "Collective" ("Ring" is ns3::RingCollective).
 *
 * A point-to-point transfer is one message per channel, by the NIC of the sender's GPU.
 */
class CollectiveAlgorithm : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Why the algorithm cannot perform a collective.
     * \param call the collective
     * \param layout placement of the ranks
     * \returns e.g. "Ring cannot do all-to-all"; empty if it can
     */
    std::string GetUnsupportedReason(const CollectiveCall& call,
                                     const CollectiveLayout& layout) const;
    /// Whether the schedules of an operation depend on the size of the buffer.
    virtual bool DependsOnBytes(CollectiveOperation operation) const;

    /// Roughly how many messages a schedule has, so that one that does not fit into memory is
    /// refused before it is built. By default each rank sends to each other one on every channel.
    virtual double EstimateMessages(const CollectiveCall& call,
                                    const CollectiveLayout& layout,
                                    uint32_t channels) const;

    /// Whether building a schedule is slow, so that caching it is worthwhile.
    virtual bool IsCostly() const;
    /**
     * What the schedule made by Build() substitutes for what was requested; may build the schedule.
     * \param call and \param layout without an unsupported reason
     * \returns one sentence; empty if nothing is substituted
     */
    virtual std::string GetFallback(const CollectiveCall& call,
                                    const CollectiveLayout& layout) const;

    /**
     * Builds the schedule. Aborts if GetUnsupportedReason() gives a reason.
     * \param call the collective
     * \param layout placement of the ranks
     * \param channels number of channels, at least 1
     */
    CollectiveSchedule Build(const CollectiveCall& call,
                             const CollectiveLayout& layout,
                             uint32_t channels) const;

    /// The same for a small buffer and an operation without a root, or with rank 0 as its root.
    CollectiveSchedule Build(CollectiveOperation operation,
                             const CollectiveLayout& layout,
                             uint32_t channels) const
    {
        return Build(CollectiveCall{operation, 1, 0, {}}, layout, channels);
    }

    /// The algorithm that a program names, e.g. "Ring" or "ns3::RingCollective"; null if no such
    /// TypeId is registered.
    static Ptr<CollectiveAlgorithm> Create(const std::string& name);
    /// Checks the name of a fallback algorithm. \returns what is wrong with it, or empty; an empty
    /// name means no fallback
    static std::string FindFallbackFault(const std::string& name);
    /// The names accepted by Create(), sorted.
    static std::vector<std::string> GetNames();

  protected:
    /// The name as accepted by Create().
    std::string GetName() const;
    /**
     * The unsupported reason of an algorithm that leaves collectives it does not handle to a
     * fallback.
     * \param mismatch why it does not handle the collective; empty if it does
     * \param fallback name of the fallback algorithm; empty: none
     */
    std::string GetReasonWithFallback(const std::string& mismatch,
                                      const std::string& fallback,
                                      const CollectiveCall& call,
                                      const CollectiveLayout& layout) const;
    /// "Ring cannot do all-to-all".
    std::string CannotDo(CollectiveOperation operation) const;
    /// Number of pieces into which a pipeline cuts its share of the buffer, at least 1.
    static uint32_t CountPieces(uint64_t bytes, uint64_t pieceBytes, uint32_t maxPieces);
    /// One message per channel; an algorithm may add what they cost.
    virtual CollectiveSchedule DoBuildSendReceive(const CollectiveCall& call,
                                                  const CollectiveLayout& layout,
                                                  uint32_t channels) const;

  private:
    /// Called only if the operation is not SEND_RECEIVE and the root and number of ranks are valid.
    virtual std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                               const CollectiveLayout& layout) const = 0;
    virtual CollectiveSchedule DoBuild(const CollectiveCall& call,
                                       const CollectiveLayout& layout,
                                       uint32_t channels) const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_ALGORITHM_H
