/* SPDX-License-Identifier: GPL-2.0-only */
#include "document-loader.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ns3
{

namespace fs = std::filesystem;

std::optional<std::string>
DocumentLoader::ReadText(const std::string& file, std::string& error, std::size_t maxBytes)
{
    std::error_code code;
    const fs::file_status status = fs::status(file, code);
    if (file.find('\0') != std::string::npos || !fs::exists(status))
    {
        error = "no such file";
        return std::nullopt;
    }
    if (fs::is_directory(status))
    {
        error = "is a directory, not a file";
        return std::nullopt;
    }
    if (!fs::is_regular_file(status))
    {
        error = "is not a regular file"; // reading a device or pipe might never end
        return std::nullopt;
    }
    const std::uintmax_t size = fs::file_size(file, code);
    if (!code && size > maxBytes)
    {
        error = "is larger than " + std::to_string(maxBytes >> 20) + " MiB";
        return std::nullopt;
    }
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    if (stream && size > 0)
    {
        text << stream.rdbuf();
    }
    if (!stream)
    {
        error = "cannot be read";
        return std::nullopt;
    }
    return text.str();
}

std::string
DocumentLoader::Resolve(const std::string& path, const std::string& file)
{
    return (fs::path(file).parent_path() / path).lexically_normal().string();
}

} // namespace ns3
