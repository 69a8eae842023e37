/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_IMPORT_GRAPH_H
#define GPU_FABRIC_IMPORT_GRAPH_H

#include "../workload/program/imported-workload.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// An operation of one rank in a trace.
struct ImportOperation
{
    enum class Kind : uint8_t
    {
        COMPUTE,
        SEND,
        RECEIVE,
        COLLECTIVE
    };

    Kind kind{Kind::COMPUTE};
    std::string label;
    int64_t durationPs{0};          ///< compute [ps]
    std::optional<KernelWork> work; ///< compute: if the time is an estimate
    uint64_t bytes{0};              ///< of a message, or the larger buffer of a rank [byte]
    uint32_t peer{0};               ///< of a message: the other rank
    uint64_t tag{0};                ///< of a message
    ProgramStepKind collective{ProgramStepKind::COMPUTE}; ///< of a collective
    uint32_t group{0};                  ///< of a collective: index into ImportGraph::groups
    uint32_t root{0};                   ///< of a collective: rank of the group
    std::vector<uint32_t> dependencies; ///< operations of the rank that must have ended
    int line{0};                        ///< its position in the file
    int column{0};
};

/**
 * Converts the operations of all ranks, each with its dependencies, into a workload. The n-th send
 * of a rank to another with a given tag matches the n-th receive there, and the n-th collective of
 * a group on one rank matches the n-th on the others.
 *
 * Messages of at most eagerBytes are eager: what depends on the send does not wait for the receiver
 * or for acknowledgements, because the sender hands the message to a buffer and goes on, and
 * several messages of a tag may be under way. Both ends of a larger message must be able to post it
 * (rendezvous): a trace in which two ranks each receive such a message only after they have sent
 * one to the other has no valid order. The n-th is the n-th in an order that the rank can follow;
 * where the file's is one, that of the file.
 *
 * Because ranks compute in the order of their steps, steps are ordered by the time at which they
 * would be ready on an infinitely fast network. An iteration of a rank begins when its previous one
 * has ended completely.
 */
class ImportGraph
{
  public:
    /// Receives an error in an operation of a rank.
    using ErrorSink =
        std::function<void(uint32_t rank, uint32_t operation, const std::string& what)>;

    ImportGraph(uint32_t count, ErrorSink error);

    std::vector<std::vector<ImportOperation>> ranks; ///< operations by rank
    std::vector<std::vector<uint32_t>> groups;       ///< of collectives: ranks, ascending
    uint64_t eagerBytes{0};                          ///< the largest eager message [byte]; 0: none

    /// \returns nothing if there is an error, which has been reported
    std::optional<ImportedWorkload> Build();

  private:
    using Place = std::pair<uint32_t, uint32_t>; ///< rank and operation

    /// Operations that belong together: a computation, both ends of a message, all parts of a
    /// collective.
    struct Node
    {
        std::vector<Place> members;
        std::vector<uint32_t> next;
        uint32_t waits{0};
        uint32_t group{0};  ///< of the workload; unused for a computation
        int64_t readyPs{0}; ///< on a network without delay [ps]
    };

    ImportOperation& Get(const Place& place)
    {
        return ranks[place.first][place.second];
    }

    bool IsEager(const ImportOperation& operation) const
    {
        return eagerBytes > 0 && operation.bytes <= eagerBytes;
    }

    /// The most dependencies of a workload once those on eager sends are replaced.
    static constexpr std::size_t MAX_DEPENDENCIES = std::size_t{1} << 24;

    void Error(const Place& place, const std::string& what);
    /// Numbers the operations of each rank in an order that it can follow; a circle is in no order.
    void Number();
    /// Replaces each eager send that an operation depends on by what the send depends on.
    void FreeSenders();
    /// Builds the nodes.
    void JoinAll();
    void JoinMessages();
    void JoinCollectives();
    void Join(std::vector<Place> members, std::vector<uint32_t> group);
    /// The nodes in an order that all ranks can follow; empty if there is none.
    std::vector<uint32_t> Sort();
    /// A node that depends on itself, if there is one.
    uint32_t FindCircle();
    void Write(const std::vector<uint32_t>& order, ImportedWorkload& workload);

    ErrorSink m_error;
    bool m_failed{false};
    /// By rank: its operations in an order that it can follow, the lower number first.
    std::vector<std::vector<uint32_t>> m_order;
    /// By rank and operation: the dependencies that hold.
    std::vector<std::vector<std::vector<uint32_t>>> m_dependencies;
    std::vector<uint32_t> m_depths; ///< by group of the workload: ImportedWorkload::depths
    /// Nodes of messages of one group, the first before the second.
    std::vector<std::pair<uint32_t, uint32_t>> m_chains;
    std::vector<Node> m_nodes;
    std::vector<std::vector<uint32_t>> m_nodeOf;       ///< by rank and operation
    std::vector<std::vector<uint32_t>> m_groups;       ///< of the workload
    std::vector<std::vector<uint32_t>> m_groupsOfRank; ///< by rank: groups by slot
    std::vector<std::map<uint32_t, uint32_t>> m_slots; ///< by rank: slot by group
};

} // namespace ns3

#endif // GPU_FABRIC_IMPORT_GRAPH_H
