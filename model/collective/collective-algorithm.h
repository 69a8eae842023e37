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
 * Makes schedules of collectives. A subclass is one self-registered file; a program names it
 * by its TypeId without "ns3::" and "Collective" ("Ring" is ns3::RingCollective).
 *
 * A point-to-point transfer is the same under every algorithm: one message a channel.
 */
class CollectiveAlgorithm : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * Why the algorithm cannot do a collective.
     * \param call what is to be achieved
     * \param layout where the ranks sit
     * \returns e.g. "Ring cannot do all-to-all"; empty: it can
     */
    std::string GetUnsupportedReason(const CollectiveCall& call,
                                     const CollectiveLayout& layout) const;
    /// Whether schedules of an operation differ between sizes of the buffer.
    virtual bool DependsOnBytes(CollectiveOperation operation) const;

    /// Whether making a schedule takes long, so that it is worth being kept.
    virtual bool IsCostly() const;
    /**
     * What stands in for what was asked for in the schedule that Build() makes, which may make it.
     * \param call and \param layout without an unsupported reason
     * \returns one sentence; empty: nothing does
     */
    virtual std::string GetFallback(const CollectiveCall& call,
                                    const CollectiveLayout& layout) const;

    /**
     * Makes the schedule. Aborts where GetUnsupportedReason() gives one.
     * \param call what is to be achieved
     * \param layout where the ranks sit
     * \param channels number of channels, at least 1
     */
    CollectiveSchedule Build(const CollectiveCall& call,
                             const CollectiveLayout& layout,
                             uint32_t channels) const;

    /// The same for an operation from or to rank 0, or without a root, and a small buffer.
    CollectiveSchedule Build(CollectiveOperation operation,
                             const CollectiveLayout& layout,
                             uint32_t channels) const
    {
        return Build(CollectiveCall{operation, 1, 0, {}}, layout, channels);
    }

    /// The algorithm a program names, e.g. "Ring" or "ns3::RingCollective"; null where no such
    /// TypeId is registered.
    static Ptr<CollectiveAlgorithm> Create(const std::string& name);
    /// Finds fault with the name of an algorithm that is to stand in; empty text: none is wanted.
    static std::string FindFallbackFault(const std::string& name);
    /// What may be given to Create(), sorted.
    static std::vector<std::string> GetNames();

  protected:
    /// The name as Create() takes it.
    std::string GetName() const;
    /**
     * The unsupported reason of an algorithm that leaves to another one what it is not for.
     * \param mismatch why it is not; empty: it is
     * \param fallback name of the other one; empty: there is none
     */
    std::string GetReasonWithFallback(const std::string& mismatch,
                                      const std::string& fallback,
                                      const CollectiveCall& call,
                                      const CollectiveLayout& layout) const;
    /// "Ring cannot do all-to-all".
    std::string CannotDo(CollectiveOperation operation) const;
    /// Pieces into which a pipeline cuts its share of the buffer, at least 1.
    static uint32_t CountPieces(uint64_t bytes, uint64_t pieceBytes, uint32_t maxPieces);

  private:
    /// The operation is not SEND_RECEIVE; root and number of ranks are good.
    virtual std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                               const CollectiveLayout& layout) const = 0;
    virtual CollectiveSchedule DoBuild(const CollectiveCall& call,
                                       const CollectiveLayout& layout,
                                       uint32_t channels) const = 0;
};

} // namespace ns3

#endif // GPU_FABRIC_COLLECTIVE_ALGORITHM_H
