/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_WORKLOAD_READER_H
#define GPU_FABRIC_WORKLOAD_READER_H

#include "../document/document-table.h"

#include "ns3/imported-workload.h"
#include "ns3/object.h"

#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/// What a scenario says of a workload's files.
struct WorkloadFiles
{
    std::string format; ///< a TypeId is ns3::<format>WorkloadReader
    std::string file;   ///< path, or what the paths begin with
    SourceMark mark;    ///< where the scenario names it
    std::string groups; ///< of process groups; may be empty
    SourceMark groupsMark;
};

/**
 * Reads what the ranks of one job do in an iteration. A subclass of the TypeId
 * ns3::<Format>WorkloadReader, with a constructor, is one self-registered file; scenarios name it
 * by the format.
 */
class WorkloadReader : public Object
{
  public:
    static TypeId GetTypeId();

    /// Most bytes of a file.
    static constexpr std::size_t MAX_BYTES = 64 * 1024 * 1024;
    /// Most ranks of a workload.
    static constexpr uint64_t MAX_RANKS = 1 << 20;
    /// Most steps of a rank.
    static constexpr std::size_t MAX_STEPS = 1 << 19;

    /// Whether a file of process groups may be given.
    virtual bool TakesGroups() const;
    /// Reads a workload. \returns nothing where something is wrong, which is in the diagnostics
    virtual std::optional<ImportedWorkload> Read(const WorkloadFiles& files,
                                                 Diagnostics& diagnostics) const = 0;

    /**
     * Reads the map `workload:` of a job and its files.
     * \param path for messages, e.g. "jobs[1].workload"
     * \returns null where something is wrong, which is in the diagnostics
     */
    static std::shared_ptr<const ImportedWorkload> Load(const DocumentNode& node,
                                                        const std::string& path,
                                                        Diagnostics& diagnostics);

    /// The keys of that map.
    static const DocumentTable<WorkloadFiles>& GetKeys();

  protected:
    /// The bytes of a file; nothing where it cannot be read, which is reported at the mark.
    static std::optional<std::string> ReadFile(const std::string& file,
                                               const SourceMark& mark,
                                               Diagnostics& diagnostics);
};

} // namespace ns3

#endif // GPU_FABRIC_WORKLOAD_READER_H
