/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_HARDWARE_REPORT_H
#define GPU_FABRIC_HARDWARE_REPORT_H

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/// Measured times of a collective over sizes: NAME.csv beside NAME.yaml, which has its cluster, its
/// `hardware:` and a job of the name "nccl-tests".
struct MeasuredSet
{
    struct Row
    {
        uint64_t bytes{0}; ///< larger buffer of a rank
        double timeUs{0};  ///< [us]
        double busGBps{0}; ///< bus bandwidth [GB/s]
        double spread{-1}; ///< |other measurement / this one - 1|; -1: there is none
    };

    std::string name;
    std::string file;      ///< the CSV file
    std::string scenario;  ///< the YAML file
    std::string about;     ///< first line of the CSV file
    std::string operation; ///< "# operation: all-reduce"
    std::string spreadOf;  ///< "# spread of: NAME": a second measurement of like hardware
    /// "# bounds: A B C": largest mean error of buffers under 1 MiB, from there to 32 MiB, and of
    /// 64 MiB and more [%].
    std::vector<double> bounds;
    std::vector<Row> rows;

    /// \returns what is wrong, with file and line; empty if nothing is
    static std::string Read(const std::string& file, MeasuredSet& set);
};

/**
 * `gpu-fabric hardware`: simulates measured collectives under their presets and prints measured and
 * simulated times, their errors, and how far two measurements of like hardware differ.
 */
class HardwareReport
{
  public:
    /// Simulates a scenario file into a database. \returns exit status
    using Runner = std::function<int(const std::string& scenario, const std::string& database)>;

    static constexpr int OK = 0;
    static constexpr int BEYOND = 1; ///< a mean error is beyond its bound
    static constexpr int BAD_INPUT = 2;

    HardwareReport(Runner runner, std::ostream& out, std::ostream& err);

    /**
     * \param folder of the sets
     * \param only names of sets; empty: all that are no second measurements
     * \param details a row for each size, else one for each set
     */
    int Run(const std::string& folder, const std::vector<std::string>& only, bool details);

  private:
    /// Simulated time of each row [us]; nothing, with a message, if the run fails.
    std::optional<std::vector<double>> Simulate(const MeasuredSet& set);
    /// Prints a set. \returns whether it is within its bounds
    bool Print(const MeasuredSet& set, const std::vector<double>& simulated, bool details);

    Runner m_runner;
    std::ostream& m_out;
    std::ostream& m_err;
};

} // namespace ns3

#endif // GPU_FABRIC_HARDWARE_REPORT_H
