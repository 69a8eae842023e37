/* SPDX-License-Identifier: GPL-2.0-only */
#include "input-digests.h"

#include "../document/document-loader.h"

#include <cstdint>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_NAME = 1024;

} // namespace

std::string
InputDigests::GetText(const DocumentNode& tree) const
{
    std::map<std::string, std::string> digests;
    Add(tree, digests);
    std::string text;
    for (const auto& [file, digest] : digests)
    {
        text += "# file " + file + ": digest " + digest + "\n";
    }
    return text;
}

std::string
InputDigests::Digest(const std::string& file)
{
    std::string ignored;
    const auto text = DocumentLoader::ReadText(file, ignored, std::size_t{1} << 40);
    if (!text)
    {
        return "";
    }
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : *text)
    {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return std::to_string(hash);
}

void
InputDigests::Add(const DocumentNode& node, std::map<std::string, std::string>& digests) const
{
    if (node.IsScalar() && !node.text.empty() && node.text.size() <= MAX_NAME && node.file)
    {
        const std::string path = DocumentLoader::Resolve(node.text, *node.file);
        const auto [known, isNew] = m_known.emplace(path, "");
        if (isNew)
        {
            known->second = Digest(path);
        }
        if (!known->second.empty())
        {
            digests[node.text] = known->second;
        }
    }
    for (const DocumentNode& item : node.items)
    {
        Add(item, digests);
    }
}

} // namespace ns3
