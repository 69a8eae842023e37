/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TACCL_COLLECTIVE_H
#define GPU_FABRIC_TACCL_COLLECTIVE_H

#include "taccl-synthesizer.h"

#include "ns3/collective-algorithm.h"
#include "ns3/enum-names.h"
#include "ns3/nstime.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/// The program that solves TACCL's problems.
enum class TacclSolver : uint8_t
{
    AUTO, ///< the first one installed
    CBC,
    HIGHS,
    GLPSOL,
    NONE ///< none: use a greedy method instead
};

template <>
struct EnumNames<TacclSolver>
{
    static constexpr EnumName<TacclSolver> TABLE[] = {{TacclSolver::AUTO, "auto"},
                                                      {TacclSolver::CBC, "cbc"},
                                                      {TacclSolver::HIGHS, "highs"},
                                                      {TacclSolver::GLPSOL, "glpsol"},
                                                      {TacclSolver::NONE, "none"}};
};

/// The heuristic for the order on links, by TACCL's number; AUTO: TACCL's choice.
enum class TacclHeuristic : uint8_t
{
    AUTO = 0,
    HEURISTIC_5 = 5,
    HEURISTIC_10 = 10,
    HEURISTIC_12 = 12,
    HEURISTIC_14 = 14
};

template <>
struct EnumNames<TacclHeuristic>
{
    static constexpr EnumName<TacclHeuristic> TABLE[] = {{TacclHeuristic::AUTO, "auto"},
                                                         {TacclHeuristic::HEURISTIC_5, "5"},
                                                         {TacclHeuristic::HEURISTIC_10, "10"},
                                                         {TacclHeuristic::HEURISTIC_12, "12"},
                                                         {TacclHeuristic::HEURISTIC_14, "14"}};
};

/**
 * Collectives synthesized from a TACCL topology and sketch (TacclSynthesizer) when a job gets its
 * GPUs: on the hosts of the sketch, with all GPUs of each, for buffers of any size. Everything else
 * is left to another algorithm, `Fallback`, or is unsupported.
 */
class TacclCollective : public CollectiveAlgorithm
{
  public:
    static TypeId GetTypeId();

    bool DependsOnBytes(CollectiveOperation operation) const override;
    /// What a file or a sketch is for is small; its fallback is estimated as any algorithm.
    double EstimateMessages(const CollectiveCall& call,
                            const CollectiveLayout& layout,
                            uint32_t channels) const override;
    bool IsCostly() const override;
    std::string GetFallback(const CollectiveCall& call,
                            const CollectiveLayout& layout) const override;

  private:
    /// The contents of the files.
    struct Contents
    {
        std::string settings; ///< of all attributes
        std::string fault;    ///< the first error, with its position
        std::optional<TacclSketch> sketch;
        std::optional<TacclNetwork> network;
    };

    std::string DoGetUnsupportedReason(const CollectiveCall& call,
                                       const CollectiveLayout& layout) const override;
    CollectiveSchedule DoBuild(const CollectiveCall& call,
                               const CollectiveLayout& layout,
                               uint32_t channels) const override;
    /// Reads the files on first use.
    const Contents& Load() const;
    /// Why the sketch does not apply to a collective; empty if it does.
    std::string GetMismatch(const CollectiveCall& call, const CollectiveLayout& layout) const;
    MilpSolver MakeSolver() const;
    TacclSynthesizer::Options MakeOptions() const;
    /// The synthesis of an operation, computed on first use.
    const TacclSynthesis& Synthesize(CollectiveOperation operation,
                                     const CollectiveLayout& layout) const;

    std::string m_topology;
    std::string m_sketch;
    std::string m_fallback;
    TacclSolver m_solver{TacclSolver::AUTO};
    TacclPaths m_paths{TacclPaths::AUTO};
    Time m_timeUnit;
    Time m_timeLimit;
    uint64_t m_nodeLimit{0};
    double m_gap{0};
    double m_loadWeight{0};
    uint32_t m_maxTogether{0};
    TacclHeuristic m_ordering{TacclHeuristic::AUTO};
    mutable std::shared_ptr<const Contents> m_contents;
    /// By operation and NIC of each rank.
    mutable std::map<std::pair<CollectiveOperation, std::vector<uint32_t>>, TacclSynthesis> m_made;
};

} // namespace ns3

#endif // GPU_FABRIC_TACCL_COLLECTIVE_H
