/* SPDX-License-Identifier: GPL-2.0-only */
#include "document-node.h"

#include <map>
#include <sstream>
#include <unordered_map>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace ns3
{

namespace
{

/// Stops parsing: the rest of the file would only repeat the problem.
struct ParsingStopped
{
};

/// Builds the tree from yaml-cpp's events.
class TreeBuilder : public YAML::EventHandler
{
  public:
    TreeBuilder(const std::string& file, Diagnostics& diagnostics)
        : m_file(std::make_shared<const std::string>(file)),
          m_diagnostics(diagnostics)
    {
    }

    void OnDocumentStart(const YAML::Mark& /* mark */) override
    {
    }

    void OnDocumentEnd() override
    {
    }

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        Add(Make(DocumentNode::Kind::NONE, mark), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto found = m_anchors.find(anchor);
        if (found == m_anchors.end())
        {
            Stop(mark, "an alias stands inside the value it names");
        }
        Count(mark, found->second.second);
        const DocumentNode copy = found->second.first;
        Attach(copy);
    }

    void OnScalar(const YAML::Mark& mark,
                  const std::string& tag,
                  YAML::anchor_t anchor,
                  const std::string& value) override
    {
        CheckTag(mark, tag);
        DocumentNode node = Make(DocumentNode::Kind::SCALAR, mark);
        node.text = value;
        Add(std::move(node), anchor);
    }

    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string& tag,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /* style */) override
    {
        CheckTag(mark, tag);
        Open(mark, DocumentNode::Kind::LIST, anchor);
    }

    void OnSequenceEnd() override
    {
        Close();
    }

    void OnMapStart(const YAML::Mark& mark,
                    const std::string& tag,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /* style */) override
    {
        CheckTag(mark, tag);
        Open(mark, DocumentNode::Kind::MAP, anchor);
    }

    void OnMapEnd() override
    {
        Close();
    }

    /// The whole document.
    DocumentNode TakeRoot()
    {
        return std::move(m_root);
    }

  private:
    /// An incomplete list or map.
    struct Frame
    {
        DocumentNode node;
        YAML::anchor_t anchor{0};
        std::size_t before{0}; ///< values read before this one
        bool haveKey{false};   ///< a key waits for its value
        bool dropValue{false}; ///< of a key that was refused
        DocumentNode key;
        std::unordered_map<std::string, int> keyLines; ///< line of each key
    };

    [[noreturn]] void Stop(const YAML::Mark& mark, const std::string& what)
    {
        m_diagnostics.Error({*m_file, mark.line + 1, mark.column + 1}, "", what);
        throw ParsingStopped();
    }

    void Count(const YAML::Mark& mark, std::size_t values)
    {
        m_count += values;
        if (m_count > DocumentNode::MAX_NODES)
        {
            Stop(mark,
                 "the file holds more than " + std::to_string(DocumentNode::MAX_NODES) +
                     " values, those of its aliases included");
        }
    }

    DocumentNode Make(DocumentNode::Kind kind, const YAML::Mark& mark)
    {
        Count(mark, 1);
        DocumentNode node;
        node.kind = kind;
        node.file = m_file;
        node.line = mark.line + 1;
        node.column = mark.column + 1;
        return node;
    }

    void CheckTag(const YAML::Mark& mark, const std::string& tag)
    {
        if (!tag.empty() && tag != "?" && tag != "!")
        {
            m_diagnostics.Error({*m_file, mark.line + 1, mark.column + 1},
                                "",
                                "YAML tags are not supported: " + Diagnostics::Quote(tag));
        }
    }

    void Open(const YAML::Mark& mark, DocumentNode::Kind kind, YAML::anchor_t anchor)
    {
        if (m_stack.size() >= DocumentNode::MAX_DEPTH)
        {
            Stop(mark,
                 "lists and maps are nested deeper than " +
                     std::to_string(DocumentNode::MAX_DEPTH));
        }
        Frame frame;
        frame.before = m_count;
        frame.node = Make(kind, mark);
        frame.anchor = anchor;
        m_stack.push_back(std::move(frame));
    }

    void Close()
    {
        Frame frame = std::move(m_stack.back());
        m_stack.pop_back();
        if (frame.anchor != 0)
        {
            m_anchors[frame.anchor] = {frame.node, m_count - frame.before};
        }
        Attach(std::move(frame.node));
    }

    void Add(DocumentNode node, YAML::anchor_t anchor)
    {
        if (anchor != 0)
        {
            m_anchors[anchor] = {node, 1};
        }
        Attach(std::move(node));
    }

    /// Attaches a complete value to its parent.
    void Attach(DocumentNode node)
    {
        if (m_stack.empty())
        {
            m_root = std::move(node);
            return;
        }
        Frame& frame = m_stack.back();
        if (frame.node.IsList())
        {
            frame.node.items.push_back(std::move(node));
            return;
        }
        if (!frame.haveKey)
        {
            frame.haveKey = true;
            frame.dropValue = !AcceptKey(frame, node);
            frame.key = std::move(node);
            return;
        }
        frame.haveKey = false;
        if (!frame.dropValue)
        {
            frame.node.keys.push_back(std::move(frame.key));
            frame.node.items.push_back(std::move(node));
        }
    }

    bool AcceptKey(Frame& frame, const DocumentNode& key)
    {
        if (!key.IsScalar())
        {
            m_diagnostics.Error(key.GetMark(),
                                "",
                                "a key must be a name, not " + key.GetKindName());
            return false;
        }
        const auto inserted = frame.keyLines.emplace(key.text, key.line);
        if (!inserted.second)
        {
            m_diagnostics.Error(key.GetMark(),
                                "",
                                "key " + Diagnostics::Quote(key.text) +
                                    " is given twice, first in line " +
                                    std::to_string(inserted.first->second));
        }
        return inserted.second;
    }

    std::shared_ptr<const std::string> m_file;
    Diagnostics& m_diagnostics;
    std::vector<Frame> m_stack;
    std::map<YAML::anchor_t, std::pair<DocumentNode, std::size_t>> m_anchors; ///< and their size
    std::size_t m_count{0};
    DocumentNode m_root;
};

/// Number of continuation bytes of a UTF-8 character, or -1; RFC 3629, section 4.
int
ContinuationBytes(unsigned char lead, unsigned char next)
{
    if (lead < 0x80)
    {
        return 0;
    }
    if (lead >= 0xC2 && lead <= 0xDF)
    {
        return 1;
    }
    if (lead >= 0xE0 && lead <= 0xEF)
    {
        const bool wrong = (lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F);
        return wrong ? -1 : 2;
    }
    if (lead >= 0xF0 && lead <= 0xF4)
    {
        const bool wrong = (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F);
        return wrong ? -1 : 3;
    }
    return -1;
}

/// Adds an error at the first byte that is not text; yaml-cpp would guess another encoding.
bool
CheckText(const std::string& file, const std::string& text, Diagnostics& diagnostics)
{
    int line = 1;
    std::size_t lineStart = 0;
    for (std::size_t i = 0; i < text.size(); i++)
    {
        const auto lead = static_cast<unsigned char>(text[i]);
        const SourceMark mark{file, line, static_cast<int>(i - lineStart) + 1};
        if ((lead < 0x20 && lead != '\t' && lead != '\n' && lead != '\r') || lead == 0x7F)
        {
            diagnostics.Error(mark, "", "the file holds a control character: it must be text");
            return false;
        }
        const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
        int more = ContinuationBytes(lead, next);
        bool wrong = more < 0;
        for (; more > 0 && !wrong; more--)
        {
            i++;
            wrong = i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80;
        }
        if (wrong)
        {
            diagnostics.Error(mark, "", "the file is not UTF-8 text");
            return false;
        }
        if (lead == '\n')
        {
            line++;
            lineStart = i + 1;
        }
    }
    return true;
}

} // namespace

SourceMark
DocumentNode::GetMark() const
{
    return {file ? *file : "", line, column};
}

const DocumentNode*
DocumentNode::Find(const std::string& key) const
{
    for (std::size_t i = 0; i < keys.size(); i++)
    {
        if (keys[i].text == key)
        {
            return &items[i];
        }
    }
    return nullptr;
}

std::string
DocumentNode::GetKindName() const
{
    switch (kind)
    {
    case Kind::NONE:
        return "nothing";
    case Kind::SCALAR:
        return "a single value";
    case Kind::LIST:
        return "a list";
    case Kind::MAP:
        return "a map";
    }
    return "";
}

std::optional<DocumentNode>
DocumentNode::Parse(const std::string& file, const std::string& text, Diagnostics& diagnostics)
{
    diagnostics.AddSource(file, text);
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    {
        diagnostics.Error({file, 0, 0}, "", "the file is empty");
        return std::nullopt;
    }
    if (!CheckText(file, text, diagnostics))
    {
        return std::nullopt;
    }
    TreeBuilder builder(file, diagnostics);
    try
    {
        std::istringstream stream(text);
        YAML::Parser parser(stream);
        if (!parser.HandleNextDocument(builder))
        {
            diagnostics.Error({file, 0, 0}, "", "the file holds only comments");
            return std::nullopt;
        }
        TreeBuilder second(file, diagnostics);
        if (parser.HandleNextDocument(second))
        {
            diagnostics.Error(second.TakeRoot().GetMark(),
                              "",
                              "a second document starts here: a file holds one scenario");
        }
    }
    catch (const YAML::Exception& e)
    {
        diagnostics.Error({file, e.mark.line + 1, e.mark.column + 1},
                          "",
                          "not valid YAML: " + e.msg);
        return std::nullopt;
    }
    catch (const ParsingStopped&)
    {
        return std::nullopt;
    }
    return builder.TakeRoot();
}

} // namespace ns3
