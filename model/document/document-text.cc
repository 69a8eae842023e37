/* SPDX-License-Identifier: GPL-2.0-only */
#include "document-text.h"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

namespace ns3
{

namespace
{

void
Emit(YAML::Emitter& emitter, const DocumentNode& node)
{
    switch (node.kind)
    {
    case DocumentNode::Kind::NONE:
        emitter << YAML::Null;
        break;
    case DocumentNode::Kind::SCALAR:
        // The emitter decides from the text whether it needs quotes: "null" and "" do.
        emitter << node.text;
        break;
    case DocumentNode::Kind::LIST:
        emitter << YAML::BeginSeq;
        for (const DocumentNode& item : node.items)
        {
            Emit(emitter, item);
        }
        emitter << YAML::EndSeq;
        break;
    case DocumentNode::Kind::MAP:
        emitter << YAML::BeginMap;
        for (std::size_t i = 0; i < node.keys.size(); i++)
        {
            emitter << YAML::Key << node.keys[i].text << YAML::Value;
            Emit(emitter, node.items[i]);
        }
        emitter << YAML::EndMap;
        break;
    }
}

} // namespace

std::string
DocumentText::Write(const DocumentNode& node)
{
    YAML::Emitter emitter;
    Emit(emitter, node);
    return std::string(emitter.c_str()) + "\n";
}

std::string
DocumentText::WriteLine(const DocumentNode& node)
{
    std::string text = node.text;
    if (!node.IsScalar())
    {
        YAML::Emitter emitter;
        emitter.SetSeqFormat(YAML::Flow);
        emitter.SetMapFormat(YAML::Flow);
        Emit(emitter, node);
        text = emitter.c_str();
    }
    // Long flow collections are broken into lines.
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at))
    {
        const std::size_t end = text.find_first_not_of(" \n", at);
        text.replace(at, end == std::string::npos ? end : end - at, " ");
    }
    return text;
}

} // namespace ns3
