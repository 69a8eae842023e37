/* SPDX-License-Identifier: GPL-2.0-only */
#include "benchmark-figure.h"

#include <algorithm>
#include <ctime>
#include <fstream>

double
BenchmarkFigure::GetMedian(std::vector<double> values)
{
    auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

double
GetCpuSeconds()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double
GetPeakMegabytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
    {
        if (word == "VmHWM:")
        {
            double kibibytes = 0;
            status >> kibibytes;
            return kibibytes * 1024 * 1e-6;
        }
    }
    return 0;
}
