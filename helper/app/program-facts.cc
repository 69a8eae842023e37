/* SPDX-License-Identifier: GPL-2.0-only */
#include "program-facts.h"

#include "../../model/collective/taccl/milp-solver.h"
#include "../../model/results/run-identity.h"
#include "../../model/scenario/scenario.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <map>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ns3
{

namespace
{

const char* const PROGRAM = "the program";

/// Compiler options that can be seen from inside: those that may change results.
std::string
GetOptions()
{
    std::string text;
    const auto add = [&text](const char* word) {
        text += (text.empty() ? "" : " ") + std::string(word);
    };
#ifdef __OPTIMIZE__
    add("optimized");
#else
    add("not optimized");
#endif
#ifdef NDEBUG
    add("without assertions");
#else
    add("with assertions");
#endif
#ifdef __FAST_MATH__
    add("fast-math");
#endif
#ifdef __FMA__
    add("fma");
#endif
#ifdef __AVX2__
    add("avx2");
#endif
#ifdef __SANITIZE_ADDRESS__
    add("address-sanitizer");
#endif
    return text;
}

/// Whether a library is the system's: its updates keep what programs compute.
bool
IsOfSystem(const std::string& path)
{
    const std::string name = std::filesystem::path(path).filename().string();
    if (name.find("ns3") != std::string::npos || name.find("gpu-fabric") != std::string::npos)
    {
        return false;
    }
    for (const char* const folder : {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"})
    {
        if (path.compare(0, std::strlen(folder), folder) == 0)
        {
            return true;
        }
    }
    return false;
}

} // namespace

std::string
ProgramFacts::HashFile(const std::string& path)
{
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
    {
        return "";
    }
    struct stat status = {};
    void* data = nullptr;
    std::size_t bytes = 0;
    bool good = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    if (good && status.st_size > 0)
    {
        bytes = static_cast<std::size_t>(status.st_size);
        data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
        good = data != MAP_FAILED;
    }
    close(fd);
    if (!good)
    {
        return "";
    }
    // FNV-1a over words of 8 bytes in two lanes, as a byte at a time takes too long for a library
    // of 100 MB.
    constexpr uint64_t PRIME = 0x9e3779b97f4a7c15;
    uint64_t lanes[2] = {0x6c62272e07bb0142, 0x62b821756295c58d};
    const auto* const begin = static_cast<const unsigned char*>(data);
    for (std::size_t at = 0, lane = 0; at < bytes; at += 8, lane ^= 1)
    {
        uint64_t word = 0;
        std::memcpy(&word, begin + at, std::min<std::size_t>(8, bytes - at));
        lanes[lane] = (lanes[lane] ^ word) * PRIME;
        lanes[lane] ^= lanes[lane] >> 32;
    }
    if (data != nullptr)
    {
        munmap(data, bytes);
    }
    return RunIdentity::Hash(std::to_string(lanes[0]) + "," + std::to_string(lanes[1]) + "," +
                             std::to_string(bytes));
}

ProgramFacts::FileState
ProgramFacts::GetState(const std::string& path)
{
    FileState state{path, 0, 0, -1, 0};
    struct stat status = {};
    if (stat(path.c_str(), &status) == 0)
    {
        state.device = status.st_dev;
        state.inode = status.st_ino;
        state.bytes = status.st_size;
        state.changedNs = int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    }
    return state;
}

void
ProgramFacts::AddFile(const std::string& name, const std::string& path)
{
    m_files.push_back(GetState(path));
    Add(name, HashFile(path));
}

ProgramFacts
ProgramFacts::OfThisProcess()
{
    ProgramFacts facts;
    std::error_code ignored;
    facts.AddFile(PROGRAM, std::filesystem::read_symlink("/proc/self/exe", ignored).string());
    std::map<std::string, std::string> libraries; // by name: the order of loading means nothing
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t /* bytes */, void* found) {
            const std::string path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
            if (path.find('/') != std::string::npos && !IsOfSystem(path))
            {
                const std::string name = std::filesystem::path(path).filename().string();
                static_cast<std::map<std::string, std::string>*>(found)->emplace(name, path);
            }
            return 0;
        },
        &libraries);
    for (const auto& [name, path] : libraries)
    {
        facts.AddFile(name, path);
    }
#ifdef GPU_FABRIC_NS3_VERSION
    facts.Add("ns-3's release", GPU_FABRIC_NS3_VERSION);
#endif
#ifdef __VERSION__
    facts.Add("the compiler", __VERSION__);
#endif
    facts.Add("the compiler's options", GetOptions());
    // ns-3 takes defaults from here.
    for (const char* const name : {"NS_ATTRIBUTE_DEFAULT", "NS_GLOBAL_VALUE"})
    {
        if (const char* const value = std::getenv(name))
        {
            std::string line = value;
            std::replace(line.begin(), line.end(), '\n', ' ');
            facts.Add(name, line);
        }
    }
    return facts;
}

bool
ProgramFacts::NeedsSolver(const Scenario& scenario)
{
    return std::any_of(scenario.jobs.begin(), scenario.jobs.end(), [](const JobSpec& job) {
        return job.collective.typeName == "Taccl";
    });
}

void
ProgramFacts::AddSolvers()
{
    for (const std::string& solver : MilpSolver::GetNames())
    {
        const std::string path = MilpSolver::Find(solver);
        Add("the solver " + solver,
            path.empty() ? "is not installed"
                         : MilpSolver::FindVersion(solver) + ", " + HashFile(path));
    }
}

std::string
ProgramFacts::GetFile(const std::string& result)
{
    return std::filesystem::path(result).replace_extension(".made-by").string();
}

bool
ProgramFacts::WriteFor(const std::string& result) const
{
    std::ofstream file(GetFile(result), std::ios::trunc);
    file << GetText();
    file.close();
    return static_cast<bool>(file);
}

void
ProgramFacts::Add(const std::string& name, const std::string& value)
{
    m_facts.emplace_back(name, value);
}

std::string
ProgramFacts::GetText() const
{
    std::string text;
    for (const auto& [name, value] : m_facts)
    {
        text += name + ": " + value + "\n";
    }
    return text;
}

std::string
ProgramFacts::GetHash() const
{
    return RunIdentity::Hash(GetText());
}

std::string
ProgramFacts::GetChange(const std::string& before) const
{
    std::map<std::string, std::string> old;
    std::istringstream lines(before);
    for (std::string line; std::getline(lines, line);)
    {
        const std::size_t colon = line.find(": ");
        if (colon != std::string::npos)
        {
            old[line.substr(0, colon)] = line.substr(colon + 2);
        }
    }
    std::vector<std::string> changed;
    for (const auto& [name, value] : m_facts)
    {
        const auto same = old.find(name);
        if (same == old.end() || same->second != value)
        {
            changed.push_back(name);
        }
        if (same != old.end())
        {
            old.erase(same);
        }
    }
    for (const auto& [name, value] : old) // that are no more
    {
        changed.push_back(name);
    }
    std::string text;
    for (std::size_t i = 0; i < changed.size(); ++i)
    {
        text += (i == 0 ? "" : i + 1 == changed.size() ? " and " : ", ") + changed[i];
    }
    return text.empty() ? "" : text + (changed.size() == 1 ? " has changed" : " have changed");
}

bool
ProgramFacts::HasChangedSince() const
{
    return std::any_of(m_files.begin(), m_files.end(), [](const FileState& before) {
        const FileState now = GetState(before.path);
        return now.device != before.device || now.inode != before.inode ||
               now.bytes != before.bytes || now.changedNs != before.changedNs;
    });
}

} // namespace ns3
