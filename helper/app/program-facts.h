/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROGRAM_FACTS_H
#define GPU_FABRIC_PROGRAM_FACTS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

struct Scenario;

/**
 * What determines the results of a program besides its scenario and its command line: its own
 * content and that of the libraries it has loaded, ns-3's release, the compiler and its options,
 * the environment.
 *
 * It is compared, never stored with results: two builds of the same source may differ in it and
 * still give the same results, and results are to be equal wherever they are made.
 */
class ProgramFacts
{
  public:
    /// Those of this process. Reads the program and those of its libraries that are not the
    /// system's, a few milliseconds for 10 MB.
    static ProgramFacts OfThisProcess();

    /// Whether a scenario synthesizes collectives, with a solver if one is installed.
    static bool NeedsSolver(const Scenario& scenario);
    /// Adds the solvers that are installed, with their versions.
    void AddSolvers();

    /// The name of the file that keeps the facts beside a result: ID.made-by for ID.sqlite.
    static std::string GetFile(const std::string& result);
    /// Writes it. \returns whether that succeeded
    bool WriteFor(const std::string& result) const;

    /// \param value without line breaks
    void Add(const std::string& name, const std::string& value);

    /// "name: value" lines.
    std::string GetText() const;

    /// Equal for equal facts: 32 hexadecimal digits.
    std::string GetHash() const;

    /**
     * What differs from other facts, as a clause: "the program has changed".
     * \param before GetText() of them
     * \returns "" if nothing differs
     */
    std::string GetChange(const std::string& before) const;

    /// Whether a file that OfThisProcess() has read has been replaced or written since, so that a
    /// new process would be another program.
    bool HasChangedSince() const;

    /// A hash of the content of a file, 32 hexadecimal digits; "" if it cannot be read. Not a
    /// cryptographic one.
    static std::string HashFile(const std::string& path);

  private:
    /// A file as it was when it was read.
    struct FileState
    {
        std::string path;
        uint64_t device{0};
        uint64_t inode{0};
        int64_t bytes{0};
        int64_t changedNs{0};
    };

    static FileState GetState(const std::string& path);
    void AddFile(const std::string& name, const std::string& path);

    std::vector<std::pair<std::string, std::string>> m_facts;
    std::vector<FileState> m_files;
};

} // namespace ns3

#endif // GPU_FABRIC_PROGRAM_FACTS_H
