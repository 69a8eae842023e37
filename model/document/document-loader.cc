/* SPDX-License-Identifier: GPL-2.0-only */
#include "document-loader.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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
    if (fs::is_fifo(status))
    {
        return ReadPipe(file, error, maxBytes);
    }
    if (!fs::is_regular_file(status))
    {
        error = "is not a regular file"; // reading a device might never end
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

std::optional<std::string>
DocumentLoader::ReadPipe(const std::string& file, std::string& error, std::size_t maxBytes)
{
    // What has been read from a pipe is gone from it: the process must remember it.
    static std::mutex mutex;
    static std::map<std::pair<dev_t, ino_t>, std::string> texts;
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status = {};
    if (fd < 0 || fstat(fd, &status) != 0)
    {
        error = "cannot be read";
        if (fd >= 0)
        {
            close(fd);
        }
        return std::nullopt;
    }
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [known, isNew] = texts.emplace(std::make_pair(status.st_dev, status.st_ino), "");
    std::string& text = known->second;
    ssize_t count = isNew ? 1 : 0;
    while (count > 0 && text.size() <= maxBytes)
    {
        char buffer[65536];
        count = read(fd, buffer, sizeof(buffer));
        if (count < 0 && errno == EINTR)
        {
            count = 1;
            continue;
        }
        text.append(buffer, count > 0 ? static_cast<std::size_t>(count) : 0);
    }
    close(fd);
    if (count < 0)
    {
        error = "cannot be read";
        return std::nullopt;
    }
    if (text.size() > maxBytes)
    {
        error = "is larger than " + std::to_string(maxBytes >> 20) + " MiB";
        return std::nullopt;
    }
    return text;
}

bool
DocumentLoader::IsPipe(const std::string& file)
{
    std::error_code code;
    return fs::is_fifo(fs::status(file, code));
}

std::string
DocumentLoader::Resolve(const std::string& path, const std::string& file)
{
    for (const std::string folder : {"/dev/fd/", "/dev/stdin", "/proc/"})
    {
        if (file.compare(0, folder.size(), folder) == 0) // a pipe or standard input
        {
            return fs::path(path).lexically_normal().string();
        }
    }
    return (fs::path(file).parent_path() / path).lexically_normal().string();
}

} // namespace ns3
