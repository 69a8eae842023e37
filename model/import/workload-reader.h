/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_WORKLOAD_READER_H
#define GPU_FABRIC_WORKLOAD_READER_H

#include "../document/document-table.h"
#include "../workload/job-spec.h"
#include "../workload/program/imported-workload.h"

#include "ns3/object.h"

#include <memory>
#include <optional>
#include <string>

namespace ns3
{

/// The files of a workload, as given in a scenario.
struct WorkloadFiles
{
    std::string format; ///< the TypeId is ns3::<format>WorkloadReader
    std::string file;   ///< path, or common prefix of the paths
    SourceMark mark;    ///< its position in the scenario
    std::string groups; ///< of process groups; may be empty
    SourceMark groupsMark;
    /// Messages of at most this size do not wait for their receiver [byte]; 0: all messages do.
    uint64_t eagerBytes{4 * 1024 * 1024};
    std::optional<int64_t> untimedPs; ///< time of kernels of which nothing tells it [ps]
    uint64_t gpus{0};                 ///< of the job; 0: the file gives their number
    GpuType gpuType{GpuType::A100};   ///< GPU for which times are estimated
    Precision precision{Precision::FP16};
};

/**
 * Reads what the ranks of one job do in an iteration. A subclass is one self-registering file: it
 * has the TypeId ns3::<Format>WorkloadReader and a constructor; scenarios refer to it by the
 * format.
 */
class WorkloadReader : public Object
{
  public:
    static TypeId GetTypeId();

    /// Maximum size of a file [byte].
    static constexpr std::size_t MAX_BYTES = 64 * 1024 * 1024;
    /// Maximum number of ranks of a workload.
    static constexpr uint64_t MAX_RANKS = 1 << 20;
    /// Maximum number of steps of a rank.
    static constexpr std::size_t MAX_STEPS = 1 << 19;

    /// Whether a file of process groups may be given.
    virtual bool TakesGroups() const;
    /// Whether a limit of eager messages may be given.
    virtual bool HasMessages() const;
    /// Whether a time of kernels without one may be given.
    virtual bool HasUntimedKernels() const;
    /// Reads a workload. \returns nothing if there is an error, which is in the diagnostics
    virtual std::optional<ImportedWorkload> Read(const WorkloadFiles& files,
                                                 Diagnostics& diagnostics) const = 0;

    /**
     * Reads the map `workload:` of a job and its files.
     * \param path for messages, e.g. "jobs[1].workload"
     * \param job its GPU and precision, with which kernels without a time are put in order
     * \returns null if there is an error, which is in the diagnostics
     */
    static std::shared_ptr<const ImportedWorkload> Load(const DocumentNode& node,
                                                        const std::string& path,
                                                        const JobSpec& job,
                                                        Diagnostics& diagnostics);

    /// The keys of that map.
    static const DocumentTable<WorkloadFiles>& GetKeys();

  protected:
    /// The bytes of a file; nothing if it cannot be read, which is reported at the mark.
    static std::optional<std::string> ReadFile(const std::string& file,
                                               const SourceMark& mark,
                                               Diagnostics& diagnostics);
};

} // namespace ns3

#endif // GPU_FABRIC_WORKLOAD_READER_H
