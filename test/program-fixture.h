/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_PROGRAM_FIXTURE_H
#define GPU_FABRIC_PROGRAM_FIXTURE_H

#include "scenario-fixture.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

/// What a program left behind.
struct ProgramResult
{
    int status{-1}; ///< exit status, or minus the number of the signal that ended it
    std::string out;
    std::string err;
};

/// Runs the built gpu-fabric-run, each time as a process of its own, in a folder of its own.
class ProgramFixture : public ::testing::Test
{
  protected:
    void SetUp() override
    {
#ifdef GPU_FABRIC_RUN_PROGRAM
        if (!std::filesystem::exists(GPU_FABRIC_RUN_PROGRAM))
        {
            GTEST_SKIP() << GPU_FABRIC_RUN_PROGRAM << " is not built";
        }
#else
        GTEST_SKIP() << "gpu-fabric-run is not part of this build";
#endif
    }

    /// Runs gpu-fabric-run. \param atStart called in the child before the program starts
    ProgramResult Run(const std::vector<std::string>& arguments,
                      const std::function<void()>& atStart = nullptr) const
    {
        const pid_t child = Start(arguments, atStart);
        return Wait(child);
    }

    /// Starts gpu-fabric-run; Wait() gives its result. One at a time.
    pid_t Start(const std::vector<std::string>& arguments,
                const std::function<void()>& atStart = nullptr) const
    {
#ifdef GPU_FABRIC_RUN_PROGRAM
        const std::string program = GPU_FABRIC_RUN_PROGRAM;
#else
        const std::string program;
#endif
        std::vector<std::string> words{program};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> argv;
        for (std::string& word : words)
        {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        const std::string out = Path("stdout.txt");
        const std::string err = Path("stderr.txt");
        const std::string folder = m_workingFolder.empty() ? Path("") : m_workingFolder;
        const pid_t child = fork();
        if (child == 0)
        {
            const int outFd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
            const int errFd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
            if (outFd < 0 || errFd < 0 || dup2(outFd, 1) < 0 || dup2(errFd, 2) < 0 ||
                chdir(folder.c_str()) != 0)
            {
                _exit(126);
            }
            if (atStart)
            {
                atStart();
            }
            execv(argv[0], argv.data());
            _exit(127);
        }
        return child;
    }

    ProgramResult Wait(pid_t child) const
    {
        ProgramResult result;
        int status = 0;
        if (child > 0 && waitpid(child, &status, 0) == child)
        {
            result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        }
        result.out = Read("stdout.txt");
        result.err = Read("stderr.txt");
        return result;
    }

    /// A path in the test's folder, where the program runs.
    std::string Path(const std::string& name) const
    {
        return m_folder.GetPath(name);
    }

    bool Exists(const std::string& name) const
    {
        return std::filesystem::exists(std::filesystem::symlink_status(Path(name)));
    }

    std::string Write(const std::string& name, const std::string& text) const
    {
        return m_folder.Write(name, text);
    }

    std::string Read(const std::string& name) const
    {
        return ReadText(Path(name));
    }

    static std::string ReadText(const std::string& path)
    {
        std::ifstream stream(path, std::ios::binary);
        std::ostringstream text;
        text << stream.rdbuf();
        return text.str();
    }

    /// The first column of the first row as text; "" where there is none.
    std::string Query(const std::string& database, const std::string& sql) const
    {
        SQLite::Database handle(Path(database));
        SQLite::Statement query(handle, sql);
        return query.executeStep() ? query.getColumn(0).getString() : "";
    }

    /// Files in the test's folder that an output of this name may bring: itself, ".partial", ...
    std::vector<std::string> ListOutputs(const std::string& name) const
    {
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(Path("")))
        {
            const std::string file = entry.path().filename().string();
            if (file.compare(0, name.size(), name) == 0)
            {
                names.push_back(file);
            }
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    /// A folder of the source tree, e.g. "scenarios".
    static std::string GetProjectFolder(const std::string& name)
    {
        // Absolute, as the program runs in another folder.
        return (std::filesystem::absolute(GetTestFolder()).parent_path() / name).string();
    }

    std::string m_workingFolder; ///< where the program runs; by default the test's folder

  private:
    ScenarioFolder m_folder;
};

#endif // GPU_FABRIC_PROGRAM_FIXTURE_H
