/* SPDX-License-Identifier: GPL-2.0-only */
#include "scenario-sweep.h"

#include "../base/unit-parser.h"
#include "../document/document-table.h"
#include "../document/document-text.h"
#include "scenario-families.h"
#include "sweep-path.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

constexpr const char* SCHEDULER = "scheduler";
constexpr const char* COMPARE = "compare";
constexpr const char* PLACEMENT = "placement";
constexpr const char* SEED = "seed";

void
Remove(DocumentNode& map, const std::string& name)
{
    for (std::size_t i = map.keys.size(); i-- > 0;)
    {
        if (map.keys[i].text == name)
        {
            map.keys.erase(map.keys.begin() + static_cast<std::ptrdiff_t>(i));
            map.items.erase(map.items.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }
}

void
Put(DocumentNode& map, const DocumentNode& place, const std::string& name, DocumentNode value)
{
    Remove(map, name);
    map.keys.push_back(place);
    map.keys.back().text = name;
    map.items.push_back(std::move(value));
}

/// "Crux Levels=4" for a typed block; otherwise the value itself.
std::string
MakeLabel(const SweepAxis& axis, const DocumentNode& value)
{
    const DocumentNode* const type = value.IsMap() ? value.Find("type") : nullptr;
    if ((axis.name != SCHEDULER && axis.name != PLACEMENT) || type == nullptr)
    {
        return DocumentText::WriteLine(value);
    }
    std::string label = DocumentText::WriteLine(*type);
    for (std::size_t i = 0; i < value.keys.size(); i++)
    {
        if (value.keys[i].text != "type")
        {
            label += " " + value.keys[i].text + "=" + DocumentText::WriteLine(value.items[i]);
        }
    }
    return label;
}

/// Reads the axes of one block.
class SweepAxisReader
{
  public:
    SweepAxisReader(std::vector<SweepAxis>& axes, Diagnostics& diagnostics)
        : m_axes(axes),
          m_diagnostics(diagnostics)
    {
    }

    void ReadList(const DocumentNode& key, const std::string& name, const DocumentNode& list)
    {
        const std::string path = GetPath(name);
        if (!list.IsList() || list.items.empty())
        {
            m_diagnostics.Error(list.GetMark(),
                                path,
                                list.IsList()
                                    ? "is an empty list"
                                    : "wants a list of values, not " + list.GetKindName());
            return;
        }
        SweepAxis axis{name, key, list.items, {}};
        for (std::size_t i = 0; i < list.items.size(); i++)
        {
            Add(axis, list.items[i], path + "[" + std::to_string(i) + "]");
        }
        m_axes.push_back(std::move(axis));
    }

    void ReadSet(const DocumentNode& set)
    {
        if (!set.IsMap() || set.keys.empty())
        {
            m_diagnostics.Error(set.GetMark(),
                                GetPath("set"),
                                "wants a map of paths to lists of values, such as "
                                "{topology.Uplinks: [4, 8]}");
            return;
        }
        for (std::size_t i = 0; i < set.keys.size(); i++)
        {
            const std::string& path = set.keys[i].text;
            const std::string top = path.substr(0, path.find_first_of(".["));
            const std::string other = top == SEED                              ? "seeds"
                                      : path == SCHEDULER || path == PLACEMENT ? path
                                                                               : "";
            const std::vector<std::string> fixed{"schema", "extends", "name", "sweep", COMPARE};
            if (!other.empty() || std::find(fixed.begin(), fixed.end(), top) != fixed.end())
            {
                m_diagnostics.Error(set.keys[i].GetMark(),
                                    GetPath("set." + path),
                                    other.empty() ? "cannot be varied"
                                                  : "is an axis of its own: write sweep." + other);
                continue;
            }
            ReadList(set.keys[i], path, set.items[i]);
        }
    }

    void ReadSeeds(const DocumentNode& key, const DocumentNode& seeds)
    {
        SweepAxis axis{SEED, key, {}, {}};
        if (seeds.IsList() && !seeds.items.empty())
        {
            for (std::size_t i = 0; i < seeds.items.size(); i++)
            {
                const DocumentNode& seed = seeds.items[i];
                const std::string path = GetPath("seeds") + "[" + std::to_string(i) + "]";
                const auto value = ReadSeed(seed, seed.IsScalar() ? seed.text : "", path);
                if (value)
                {
                    axis.values.push_back(seed);
                    axis.values.back().text = std::to_string(*value);
                    Add(axis, axis.values.back(), path);
                }
            }
        }
        else
        {
            const std::size_t dots = seeds.IsScalar() ? seeds.text.find("..") : std::string::npos;
            if (dots == std::string::npos)
            {
                m_diagnostics.Error(seeds.GetMark(),
                                    GetPath("seeds"),
                                    "wants a range, such as 1..5, or a list of seeds");
                return;
            }
            const auto first = ReadSeed(seeds, seeds.text.substr(0, dots), GetPath("seeds"));
            const auto last = ReadSeed(seeds, seeds.text.substr(dots + 2), GetPath("seeds"));
            if (!first || !last)
            {
                return;
            }
            if (*last < *first || *last - *first >= ScenarioSweep::MAX_POINTS)
            {
                m_diagnostics.Error(seeds.GetMark(),
                                    GetPath("seeds"),
                                    *last < *first ? "the last seed is below the first"
                                                   : GetTooMany());
                return;
            }
            for (uint64_t seed = *first; seed <= *last; seed++)
            {
                axis.values.push_back(seeds);
                axis.values.back().text = std::to_string(seed);
                axis.labels.push_back(axis.values.back().text);
            }
        }
        m_axes.push_back(std::move(axis));
    }

    static std::string GetTooMany()
    {
        return "the grid has more than " + std::to_string(ScenarioSweep::MAX_POINTS) + " points";
    }

  private:
    static std::string GetPath(const std::string& name)
    {
        return "sweep." + name;
    }

    void Add(SweepAxis& axis, const DocumentNode& value, const std::string& path)
    {
        std::string label = MakeLabel(axis, value);
        if (std::find(axis.labels.begin(), axis.labels.end(), label) != axis.labels.end())
        {
            m_diagnostics.Error(value.GetMark(), path, "this value is listed already");
        }
        axis.labels.push_back(std::move(label));
    }

    std::optional<uint64_t> ReadSeed(const DocumentNode& node,
                                     const std::string& text,
                                     const std::string& path)
    {
        std::string error;
        const auto value =
            UnitParser::ParseUnsigned(text, 0, std::numeric_limits<int64_t>::max(), error);
        if (!value)
        {
            m_diagnostics.Error(node.GetMark(), path, error);
        }
        return value;
    }

    std::vector<SweepAxis>& m_axes;
    Diagnostics& m_diagnostics;
};

} // namespace

const BlockKeys&
ScenarioSweep::GetKeys()
{
    using S = ScenarioSweep; // its axes are read by SweepAxisReader
    using Kind = ValueShape::Kind;
    const ValueShape anything = ValueShape::Plain(Kind::ANYTHING);
    const uint64_t highest = std::numeric_limits<int64_t>::max();
    static const DocumentTable<S> table(
        "sweep",
        {DocumentKey<S>(SCHEDULER,
                        ValueShape::List(ValueShape::Typed(ScenarioFamilies::SCHEDULER)),
                        "Communication schedulers."),
         DocumentKey<S>(PLACEMENT,
                        ValueShape::List(ValueShape::Typed(ScenarioFamilies::PLACEMENT)),
                        "Placements of jobs."),
         DocumentKey<S>("set",
                        ValueShape::Map(ValueShape::List(anything)),
                        "Values of other keys, by path: {topology.Uplinks: [4, 8]}."),
         DocumentKey<S>("seeds",
                        ValueShape::OneOf({ValueShape::Plain(Kind::RANGE),
                                           ValueShape::List(Form::Integer(0, highest).shape)}),
                        "Seeds, such as 1..5.")});
    return table.GetInfo();
}

std::optional<ScenarioSweep>
ScenarioSweep::Read(const DocumentNode& root, Diagnostics& diagnostics)
{
    const DocumentNode* const node = root.Find("sweep");
    if (node == nullptr)
    {
        return std::nullopt;
    }
    const int errors = diagnostics.GetErrorCount();
    const DocumentBlock block(*node, GetKeys(), "sweep", diagnostics);
    ScenarioSweep sweep;
    if (!block.IsComplete() || node->keys.empty())
    {
        if (node->IsMap() && node->keys.empty())
        {
            diagnostics.Error(node->GetMark(), "sweep", "varies nothing");
        }
        return std::nullopt;
    }
    SweepAxisReader reader(sweep.m_axes, diagnostics);
    for (std::size_t i = 0; i < node->keys.size(); i++)
    {
        const std::string& name = node->keys[i].text;
        if (name == SCHEDULER || name == PLACEMENT)
        {
            reader.ReadList(node->keys[i], name, node->items[i]);
        }
        else if (name == "set")
        {
            reader.ReadSet(node->items[i]);
        }
    }
    // The seed is last, and so varies fastest, wherever it is written.
    for (std::size_t i = 0; i < node->keys.size(); i++)
    {
        if (node->keys[i].text == "seeds")
        {
            reader.ReadSeeds(node->keys[i], node->items[i]);
        }
    }
    std::size_t points = 1;
    for (const SweepAxis& axis : sweep.m_axes)
    {
        points *= std::max<std::size_t>(axis.values.size(), 1);
        if (points > MAX_POINTS)
        {
            diagnostics.Error(node->GetMark(), "sweep", SweepAxisReader::GetTooMany());
            return std::nullopt;
        }
    }
    sweep.m_base = root;
    Remove(sweep.m_base, "sweep");
    Remove(sweep.m_base, "extends");
    const bool schedulers =
        std::any_of(sweep.m_axes.begin(), sweep.m_axes.end(), [](const SweepAxis& axis) {
            return axis.name == SCHEDULER;
        });
    if (schedulers)
    {
        Remove(sweep.m_base, SCHEDULER);
        Remove(sweep.m_base, COMPARE);
    }
    else if (const DocumentNode* compare = root.Find(COMPARE))
    {
        diagnostics.Error(compare->GetMark(),
                          COMPARE,
                          "in a scenario with a sweep write sweep.scheduler instead");
    }
    if (diagnostics.GetErrorCount() > errors)
    {
        return std::nullopt;
    }
    return sweep;
}

std::size_t
ScenarioSweep::GetPointCount() const
{
    std::size_t points = 1;
    for (const SweepAxis& axis : m_axes)
    {
        points *= axis.values.size();
    }
    return points;
}

std::size_t
ScenarioSweep::GetSeedCount() const
{
    return !m_axes.empty() && m_axes.back().name == SEED ? m_axes.back().values.size() : 1;
}

std::vector<std::size_t>
ScenarioSweep::GetIndices(std::size_t point) const
{
    std::vector<std::size_t> indices(m_axes.size());
    for (std::size_t i = m_axes.size(); i-- > 0;)
    {
        indices[i] = point % m_axes[i].values.size();
        point /= m_axes[i].values.size();
    }
    return indices;
}

std::vector<std::pair<std::string, std::string>>
ScenarioSweep::GetValues(std::size_t point) const
{
    const std::vector<std::size_t> indices = GetIndices(point);
    std::vector<std::pair<std::string, std::string>> values;
    for (std::size_t i = 0; i < m_axes.size(); i++)
    {
        values.emplace_back(m_axes[i].name, m_axes[i].labels[indices[i]]);
    }
    return values;
}

std::string
ScenarioSweep::GetLabel(std::size_t point) const
{
    std::string label;
    for (const auto& [axis, value] : GetValues(point))
    {
        label += (label.empty() ? "" : ", ") + axis + "=" + value;
    }
    return label;
}

std::optional<DocumentNode>
ScenarioSweep::GetTree(std::size_t point, Diagnostics& diagnostics) const
{
    const std::vector<std::size_t> indices = GetIndices(point);
    DocumentNode tree = m_base;
    const auto isWhole = [](const SweepAxis& axis) {
        return axis.name == SCHEDULER || axis.name == PLACEMENT || axis.name == SEED;
    };
    // Set whole blocks first: a path may lead into one.
    for (std::size_t i = 0; i < m_axes.size(); i++)
    {
        if (isWhole(m_axes[i]))
        {
            Put(tree, m_axes[i].key, m_axes[i].name, m_axes[i].values[indices[i]]);
        }
    }
    bool good = true;
    for (std::size_t i = 0; i < m_axes.size(); i++)
    {
        if (!isWhole(m_axes[i]))
        {
            const DocumentNode& value = m_axes[i].values[indices[i]];
            good = SweepPath::Set(tree, m_axes[i].key, value, diagnostics) && good;
        }
    }
    return good ? std::optional<DocumentNode>(std::move(tree)) : std::nullopt;
}

std::string
ScenarioSweep::GetText(const DocumentNode& tree) const
{
    return DocumentText::Write(tree) + m_digests.GetText(tree);
}

std::string
ScenarioSweep::GetCommonText(const DocumentNode& tree) const
{
    DocumentNode common = tree;
    Remove(common, SCHEDULER);
    Remove(common, SEED);
    return DocumentText::Write(common) + m_digests.GetText(tree);
}

} // namespace ns3
