/* SPDX-License-Identifier: GPL-2.0-only */
#include "hardware-report.h"

#include "../../model/results/named-columns.h"
#include "../../model/results/text-table.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint64_t MIB = 1024 * 1024;
const std::array<const char*, 3> BANDS{"under 1 MiB", "1 to 32 MiB", "64 MiB and more"};

size_t
GetBand(uint64_t bytes)
{
    return bytes < MIB ? 0 : bytes < 64 * MIB ? 1 : 2;
}

std::string
Format(double value, int digits, const std::string& unit = "", bool sign = false)
{
    std::ostringstream text;
    text << (sign ? std::showpos : std::noshowpos) << std::fixed << std::setprecision(digits)
         << value << unit;
    return text.str();
}

/// The text after "# key:" of a line, or nothing.
std::optional<std::string>
GetHeader(const std::string& line, const std::string& key)
{
    const std::string begin = "# " + key + ": ";
    return line.compare(0, begin.size(), begin) == 0
               ? std::optional<std::string>(line.substr(begin.size()))
               : std::nullopt;
}

} // namespace

std::string
MeasuredSet::Read(const std::string& file, MeasuredSet& set)
{
    std::ifstream stream(file);
    if (!stream)
    {
        return file + ": cannot be read";
    }
    set.file = file;
    set.name = std::filesystem::path(file).stem();
    set.scenario = std::filesystem::path(file).replace_extension(".yaml");
    int number = 0;
    for (std::string line; std::getline(stream, line);)
    {
        number++;
        const std::string place = file + ":" + std::to_string(number) + ": ";
        if (number == 1 && line.compare(0, 2, "# ") == 0)
        {
            set.about = line.substr(2);
        }
        else if (const auto operation = GetHeader(line, "operation"))
        {
            set.operation = *operation;
        }
        else if (const auto other = GetHeader(line, "spread of"))
        {
            set.spreadOf = *other;
        }
        else if (const auto bounds = GetHeader(line, "bounds"))
        {
            std::istringstream words(*bounds);
            for (double bound = 0; words >> bound;)
            {
                set.bounds.push_back(bound);
            }
            if (set.bounds.size() != BANDS.size() || !words.eof())
            {
                return place + "bounds wants three numbers, in percent: " + *bounds;
            }
        }
        else if (!line.empty() && line[0] != '#' && line.compare(0, 4, "size") != 0)
        {
            Row row;
            char comma = 0;
            char second = 0;
            std::istringstream words(line);
            if (!(words >> row.bytes >> comma >> row.timeUs >> second) || comma != ',' ||
                second != ',' || row.bytes == 0 || row.timeUs <= 0)
            {
                return place + "wants size_bytes,time_us,busbw_GBps: " + line;
            }
            words >> row.busGBps;
            set.rows.push_back(row);
        }
    }
    if (set.operation.empty() && set.spreadOf.empty())
    {
        return file + ": has no line \"# operation: all-reduce\"";
    }
    return set.rows.empty() ? file + ": has no measurement" : "";
}

HardwareReport::HardwareReport(Runner runner, std::ostream& out, std::ostream& err)
    : m_runner(std::move(runner)),
      m_out(out),
      m_err(err)
{
}

std::optional<std::vector<double>>
HardwareReport::Simulate(const MeasuredSet& set)
{
    namespace fs = std::filesystem;
    std::string pattern = fs::temp_directory_path() / "gpu-fabric-hardware-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
    {
        m_err << pattern << ": cannot be created" << std::endl;
        return std::nullopt;
    }
    const fs::path folder = pattern;
    const std::string scenario = folder / (set.name + ".yaml");
    const std::string database = folder / (set.name + ".sqlite");
    {
        std::ofstream stream(scenario);
        stream << "schema: gpu-fabric/1\nextends: " << fs::absolute(set.scenario).string()
               << "\njobs:\n  nccl-tests:\n    iteration:\n";
        for (const MeasuredSet::Row& row : set.rows)
        {
            stream << "      - " << set.operation << ": {bytes: " << row.bytes << "B}\n";
        }
    }
    std::optional<std::vector<double>> times;
    if (m_runner(scenario, database) == 0)
    {
        times.emplace();
        SQLite::Database results(database, SQLite::OPEN_READONLY);
        SQLite::Statement query(results,
                                "SELECT (end_ps - last_post_ps) / 1e6 AS time_us FROM collective "
                                "WHERE end_ps IS NOT NULL ORDER BY collective");
        while (query.executeStep())
        {
            times->push_back(GetNumber(query, "time_us").value_or(0));
        }
        if (times->size() != set.rows.size())
        {
            m_err << set.scenario << ": " << times->size() << " of " << set.rows.size()
                  << " collectives have ended" << std::endl;
            times.reset();
        }
    }
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    return times;
}

bool
HardwareReport::Print(const MeasuredSet& set, const std::vector<double>& simulated, bool details)
{
    std::array<std::vector<double>, 3> errors;
    std::array<std::vector<double>, 3> spreads;
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < set.rows.size(); i++)
    {
        const MeasuredSet::Row& row = set.rows[i];
        const double error = simulated[i] / row.timeUs - 1;
        const size_t band = GetBand(row.bytes);
        // Of large buffers the bandwidth is compared, of others the time.
        errors[band].push_back(band == 2 ? row.timeUs / simulated[i] - 1 : error);
        if (row.spread >= 0)
        {
            spreads[band].push_back(row.spread);
        }
        rows.push_back({std::to_string(row.bytes),
                        Format(row.timeUs, 1),
                        row.spread < 0 ? "" : Format(100 * row.spread, 1),
                        Format(simulated[i], 1),
                        Format(100 * error, 1, "", true)});
    }
    m_out << set.name << ": " << set.about << "\n";
    if (details)
    {
        TextTable table;
        for (const char* header :
             {"size [B]", "measured [us]", "spread [%]", "simulated [us]", "error [%]"})
        {
            table.AddColumn(header);
        }
        for (const std::vector<std::string>& row : rows)
        {
            table.AddRow(row);
        }
        table.Print(m_out);
    }
    bool isWithin = true;
    TextTable table;
    table.AddColumn("band", false);
    for (const char* header : {"mean error [%]", "worst [%]", "spread [%]", "bound [%]"})
    {
        table.AddColumn(header);
    }
    for (size_t band = 0; band < BANDS.size(); band++)
    {
        if (errors[band].empty())
        {
            continue;
        }
        double sum = 0;
        double worst = 0;
        for (const double error : errors[band])
        {
            sum += std::abs(error);
            worst = std::abs(error) > std::abs(worst) ? error : worst;
        }
        double spread = 0;
        for (const double other : spreads[band])
        {
            spread += other / static_cast<double>(spreads[band].size());
        }
        const double mean = 100 * sum / static_cast<double>(errors[band].size());
        const bool isBeyond = !set.bounds.empty() && mean > set.bounds[band];
        isWithin = isWithin && !isBeyond;
        table.AddRow(
            {std::string(BANDS[band]) + (band == 2 ? ", bandwidth" : ", time"),
             Format(mean, 1),
             Format(100 * worst, 1, "", true),
             spreads[band].empty() ? "" : Format(100 * spread, 1),
             set.bounds.empty() ? "" : Format(set.bounds[band], 0) + (isBeyond ? " BEYOND" : "")});
    }
    table.Print(m_out);
    m_out << std::endl;
    return isWithin;
}

int
HardwareReport::Run(const std::string& folder, const std::vector<std::string>& only, bool details)
{
    std::vector<MeasuredSet> sets;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    {
        if (entry.path().extension() == ".csv")
        {
            const std::string fault = MeasuredSet::Read(entry.path(), sets.emplace_back());
            if (!fault.empty())
            {
                m_err << fault << std::endl;
                return BAD_INPUT;
            }
        }
    }
    if (error)
    {
        m_err << folder << ": " << error.message() << std::endl;
        return BAD_INPUT;
    }
    std::sort(sets.begin(), sets.end(), [](const MeasuredSet& a, const MeasuredSet& b) {
        return a.name < b.name;
    });
    std::vector<std::string> names;
    for (const MeasuredSet& set : sets)
    {
        if (set.spreadOf.empty())
        {
            names.push_back(set.name);
        }
    }
    for (const std::string& name : only)
    {
        if (std::find(names.begin(), names.end(), name) == names.end())
        {
            m_err << folder << ": no measurement is called " << name << "; there are:";
            for (const std::string& known : names)
            {
                m_err << " " << known;
            }
            m_err << std::endl;
            return BAD_INPUT;
        }
    }
    int status = OK;
    for (MeasuredSet& set : sets)
    {
        if (!set.spreadOf.empty() ||
            (!only.empty() && std::find(only.begin(), only.end(), set.name) == only.end()))
        {
            continue;
        }
        for (const MeasuredSet& other : sets)
        {
            for (const MeasuredSet::Row& row : other.rows)
            {
                for (MeasuredSet::Row& own : set.rows)
                {
                    if (other.spreadOf == set.name && own.bytes == row.bytes)
                    {
                        own.spread = std::max(own.spread, std::abs(row.timeUs / own.timeUs - 1));
                    }
                }
            }
        }
        const std::optional<std::vector<double>> simulated = Simulate(set);
        if (!simulated)
        {
            return BAD_INPUT;
        }
        if (!Print(set, *simulated, details))
        {
            status = BEYOND;
        }
    }
    return status;
}

} // namespace ns3
