/* SPDX-License-Identifier: GPL-2.0-only */
#include "topology-document.h"

#include "../base/unit-parser.h"
#include "../document/document-loader.h"

namespace ns3
{

TopologyDocument::TopologyDocument(const std::string& file, std::vector<TopologyFault>& faults)
    : m_file(file),
      m_faults(faults)
{
}

TopologyDocument::~TopologyDocument()
{
    for (const auto& [mark, text] : m_diagnostics.GetLocatedErrors())
    {
        m_faults.push_back(TopologyFault::InFile(mark.file, mark.line, mark.column, text));
    }
}

std::optional<std::string>
TopologyDocument::ReadText()
{
    if (m_file.empty())
    {
        m_faults.push_back(TopologyFault::OfAttribute("File", "is missing"));
        return std::nullopt;
    }
    std::string error;
    auto text = DocumentLoader::ReadText(m_file, error);
    if (!text)
    {
        m_faults.push_back(
            TopologyFault::OfAttribute("File", Diagnostics::Quote(m_file) + ": " + error));
    }
    return text;
}

std::optional<DocumentNode>
TopologyDocument::ReadMap()
{
    const auto text = ReadText();
    if (!text)
    {
        return std::nullopt;
    }
    auto root = DocumentNode::Parse(m_file, *text, m_diagnostics);
    if (root && !root->IsMap())
    {
        Error(*root, "the file must hold a map of keys, not " + root->GetKindName());
        root.reset();
    }
    return root;
}

void
TopologyDocument::Error(int line, int column, const std::string& what)
{
    m_diagnostics.Error({m_file, line, column}, "", what);
}

void
TopologyDocument::Error(const DocumentNode& node, const std::string& what)
{
    m_diagnostics.Error(node.GetMark(), "", what);
}

std::optional<double>
TopologyDocument::GetNumber(const DocumentNode& node, bool zeroAllowed)
{
    if (!node.IsScalar())
    {
        Error(node, "wants a number, not " + node.GetKindName());
        return std::nullopt;
    }
    std::string why;
    const auto number = UnitParser::ParseDouble(node.text, why);
    if (!number)
    {
        Error(node, why);
    }
    else if (*number < 0 || (*number == 0 && !zeroAllowed))
    {
        Error(node,
              Diagnostics::Quote(node.text) + " must be " +
                  (zeroAllowed ? "0 or more" : "above 0"));
        return std::nullopt;
    }
    return number;
}

} // namespace ns3
