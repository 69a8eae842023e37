/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_SCENARIO_RUN_FIXTURE_H
#define GPU_FABRIC_SCENARIO_RUN_FIXTURE_H

#include "scenario-fixture.h"

#include "ns3/config.h"
#include "ns3/global-value.h"
#include "ns3/scenario-runner.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/// Wire bytes of a WRITE of so many bytes of payload in frames of 4096 (rocev2.md, section 1):
/// Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble and gap 20 a frame, RETH 16 on the
/// first, payload padded to 4.
constexpr uint64_t
WireBytes(uint64_t payload)
{
    uint64_t frames = (payload + 4095) / 4096;
    return (payload + 3) / 4 * 4 + frames * (14 + 20 + 8 + 12 + 4 + 4 + 20) + 16;
}

/// Wire bytes of the acknowledgements of such a message, one for 16 frames and one for the end.
constexpr uint64_t
AckBytes(uint64_t payload)
{
    uint64_t frames = (payload + 4095) / 4096;
    return (frames + 15) / 16 * 86;
}

/// Runs scenarios as the program does, on the packet network, and queries their results.
class ScenarioRunFixture : public ::testing::Test
{
  protected:
    static constexpr double US = 1e6; ///< [ps]
    static constexpr double MS = 1e9; ///< [ps]
    static constexpr double S = 1e12; ///< [ps]

    void TearDown() override
    {
        Forget();
    }

    /// Runs a scenario, written without its first line, into a new database. Throws, and so ends
    /// the test, if it does not run or if an invariant does not hold.
    void Run(const std::string& scenario)
    {
        int status = Try(scenario);
        if (status != ScenarioRunner::OK)
        {
            throw std::runtime_error("status " + std::to_string(status) + "\n" + messages +
                                     scenario);
        }
    }

    /// Runs a scenario, whatever comes of it. \returns the exit status
    int Try(const std::string& scenario)
    {
        m_database.reset();
        Forget();
        // An implementation of the simulator that has no scenario left in it.
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::FabricSimulatorImpl"));
        ScenarioRunnerOptions options;
        options.scenario =
            m_folder.Write("scenario.yaml", "schema: gpu-fabric/1\nname: test\n" + scenario);
        options.output = m_folder.GetPath("results.sqlite");
        options.overwrite = true;
        options.quiet = true;
        options.threads = threads;
        std::ostringstream out;
        std::ostringstream err;
        int status = ScenarioRunner(out, err).Run(options);
        messages = err.str();
        if (status == ScenarioRunner::OK || status == ScenarioRunner::VIOLATED)
        {
            m_database = std::make_unique<SQLite::Database>(options.output);
        }
        return status;
    }

    /// Writes a file beside the scenario.
    void WriteFile(const std::string& name, const std::string& text) const
    {
        m_folder.Write(name, text);
    }

    /// The first column of the first row; a test fails where there is none, or NULL.
    double Real(const std::string& sql) const
    {
        std::vector<double> values = Column(sql + " LIMIT 1");
        EXPECT_EQ(values.size(), 1u) << "no number: " << sql;
        return values.empty() ? std::nan("") : values[0];
    }

    int64_t Integer(const std::string& sql) const
    {
        std::vector<std::string> rows = Rows(sql + " LIMIT 1");
        bool found = !rows.empty() && rows[0] != "NULL";
        EXPECT_TRUE(found) << "no number: " << sql;
        return found ? std::stoll(rows[0]) : INT64_MIN;
    }

    /// All rows, columns separated by "|", NULL as "NULL".
    std::vector<std::string> Rows(const std::string& sql) const
    {
        std::vector<std::string> rows;
        if (!m_database)
        {
            return rows;
        }
        SQLite::Statement query(*m_database, sql);
        while (query.executeStep())
        {
            std::string row;
            for (int column = 0; column < query.getColumnCount(); ++column)
            {
                row += (column > 0 ? "|" : "") + (query.isColumnNull(column)
                                                      ? std::string("NULL")
                                                      : query.getColumn(column).getString());
            }
            rows.push_back(row);
        }
        return rows;
    }

    /// The first column of all rows, NULL as not a number.
    std::vector<double> Column(const std::string& sql) const
    {
        std::vector<double> values;
        for (const std::string& row : Rows(sql))
        {
            values.push_back(row == "NULL" ? std::nan("") : std::stod(row));
        }
        return values;
    }

    /// Mean iteration time [ps] of a job, start to start, of the iterations that start at or after
    /// an instant [ps].
    double Period(const std::string& job, double fromPs, uint32_t run = 1) const
    {
        return Real("SELECT (MAX(i.start_ps) - MIN(i.start_ps)) * 1.0 / (COUNT(*) - 1) "
                    "FROM iteration AS i JOIN job USING (run, job) WHERE run = " +
                    std::to_string(run) + " AND name = '" + job +
                    "' AND i.start_ps >= " + std::to_string(fromPs));
    }

    static std::string Ps(double time)
    {
        return std::to_string(std::llround(time)) + "ps";
    }

    std::string messages; ///< of the last run
    /// That simulate the network: GPU_FABRIC_TEST_THREADS in the environment, or 1.
    uint32_t threads{std::getenv("GPU_FABRIC_TEST_THREADS")
                         ? static_cast<uint32_t>(std::atoi(std::getenv("GPU_FABRIC_TEST_THREADS")))
                         : 1};

  private:
    /// Removes what a run leaves in the process.
    void Forget()
    {
        Simulator::Destroy();
        Config::Reset();
    }

    /// In memory where there is such a folder: results are synchronised with the disk, which would
    /// take most of a test's time.
    static std::filesystem::path GetParent()
    {
        std::error_code error;
        return std::filesystem::is_directory("/dev/shm", error)
                   ? "/dev/shm"
                   : std::filesystem::temp_directory_path();
    }

    ScenarioFolder m_folder{GetParent()};
    std::unique_ptr<SQLite::Database> m_database;
};

/**
 * Two jobs that share one link: hosts a0 and b0 on the switch left, a1 and b1 on right, one link
 * of 10 Gb/s between the switches, 10 Gb/s to each host, FixedRate. The share of the buffer that an
 * ingress may fill is small (64 KB, 51 us), so that a job has little work stored in the network.
 */
class SharedLinkFixture : public ScenarioRunFixture
{
  protected:
    static constexpr double RATE = 10e9; ///< [bit/s]

    static std::string Network()
    {
        return R"(
topology:
  type: Explicit
  nodes:
    - {name: a0}
    - {name: b0}
    - {name: a1}
    - {name: b1}
    - {name: left, kind: switch}
    - {name: right, kind: switch}
  links:
    - {between: [a0, left], rate: 10Gbps, delay: 1us}
    - {between: [b0, left], rate: 10Gbps, delay: 1us}
    - {between: [a1, right], rate: 10Gbps, delay: 1us}
    - {between: [b1, right], rate: 10Gbps, delay: 1us}
    - {between: [left, right], rate: 10Gbps, delay: 1us}
defaults:
  ns3::RoceNic::CongestionControl: ns3::FixedRate
  ns3::DynamicThresholdBuffer::Alpha: 0.002
)";
    }

    /// A job of two ranks that computes, then reduces.
    struct Pair
    {
        std::string name; ///< a or b: the hosts
        double computePs{0};
        uint64_t bytes{0}; ///< [byte]
        double flop{1e9};  ///< W
        double arrivalPs{0};
        uint64_t iterations{1'000'000};
    };

    static std::string Job(const Pair& job)
    {
        return "  - name: " + job.name + "\n    hosts: [" + job.name + "0, " + job.name +
               "1]\n    iterations: " + std::to_string(job.iterations) +
               "\n    flop: " + std::to_string(job.flop) + "\n    arrival: " + Ps(job.arrivalPs) +
               "\n    iteration: [{compute: " + Ps(job.computePs) +
               "}, {all-reduce: {bytes: " + std::to_string(job.bytes) + "B}}]\n";
    }

    /// The time an all-reduce of the job takes alone [ps], measured.
    double MeasureSolo(const Pair& job)
    {
        Pair alone = job;
        alone.iterations = 3;
        alone.arrivalPs = 0;
        Run(Network() + "jobs:\n" + Job(alone));
        return Real("SELECT end_ps - last_post_ps FROM collective ORDER BY collective DESC");
    }

    /// Runs two jobs under a scheduler for a time [ps], measured from an instant [ps] on.
    void RunPair(const Pair& a,
                 const Pair& b,
                 const std::string& scheduler,
                 double timePs,
                 double fromPs = 0)
    {
        Run(Network() + "jobs:\n" + Job(a) + Job(b) + "scheduler: " + scheduler +
            "\nstop: {when: time, time: " + Ps(timePs) + "}\nmeasure: {from: " + Ps(fromPs) +
            ", to: " + Ps(timePs) + "}\n");
    }
};

} // namespace ns3

#endif // GPU_FABRIC_SCENARIO_RUN_FIXTURE_H
