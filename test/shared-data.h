/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_TEST_SHARED_DATA_H
#define GPU_FABRIC_TEST_SHARED_DATA_H

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ns3
{

/// Where data lie that are no part of the project (topologies, traces, collectives): the folder
/// that the environment variable GPU_FABRIC_SHARED_DATA names, or ../shared/data beside the
/// project. Tests that need something from there are skipped where it is absent.
inline std::filesystem::path
GetSharedData(const std::string& name)
{
    const char* folder = std::getenv("GPU_FABRIC_SHARED_DATA");
    const std::filesystem::path data =
        folder != nullptr ? std::filesystem::path(folder)
                          : std::filesystem::path(NS_TEST_SOURCEDIR) / "../../shared/data";
    return std::filesystem::weakly_canonical(std::filesystem::absolute(data)) / name;
}

} // namespace ns3

#endif // GPU_FABRIC_TEST_SHARED_DATA_H
