/* SPDX-License-Identifier: GPL-2.0-only */
#include "value-form.h"

#include "../base/unit-parser.h"
#include "attribute-reader.h"

#include <algorithm>

namespace ns3
{

namespace
{

using Kind = ValueShape::Kind;

constexpr std::size_t MAX_TEXT = 200; ///< maximum bytes of a name or text

bool
IsName(const std::string& text)
{
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-") == std::string::npos;
}

/**
 * A form of scalars.
 * \param parse returns the value of a text, or nothing and a sentence without a full stop
 */
template <class T>
ValueForm<T>
MakeScalar(const ValueShape& shape,
           std::function<std::optional<T>(const std::string& text, std::string& error)> parse,
           std::function<std::string(const T&)> write)
{
    ValueForm<T> form;
    form.shape = shape;
    form.write = std::move(write);
    form.read = [parse = std::move(parse)](const DocumentNode& node,
                                           const std::string& path,
                                           const DocumentContext& context) -> std::optional<T> {
        std::string error;
        if (!node.IsScalar())
        {
            error = "wants a single value, not " + node.GetKindName();
        }
        else if (auto value = parse(node.text, error))
        {
            return value;
        }
        context.diagnostics.Error(node.GetMark(), path, error);
        return std::nullopt;
    };
    return form;
}

/// A value that must not be 0 although its unit permits it.
template <class T>
std::optional<T>
RefuseBelow(T low, std::optional<T> value, const std::string& text, std::string& error)
{
    if (value && *value < low)
    {
        error = Diagnostics::Quote(text) + " must be above 0";
        return std::nullopt;
    }
    return value;
}

/// A whole number in the largest unit that permits one.
std::string
WriteUnits(uint64_t value, const std::vector<std::pair<uint64_t, const char*>>& units)
{
    for (const auto& [size, unit] : units)
    {
        if (value % size == 0)
        {
            return std::to_string(value / size) + unit;
        }
    }
    return std::to_string(value);
}

/// The shortest notation of a number.
std::string
WriteNumber(double value)
{
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
}

} // namespace

ValueForm<std::string>
Form::Text()
{
    return MakeScalar<std::string>(
        ValueShape::Plain(Kind::TEXT, 1, MAX_TEXT),
        [](const std::string& text, std::string& error) -> std::optional<std::string> {
            if (text.empty() || text.size() > MAX_TEXT)
            {
                error = text.empty() ? "is empty"
                                     : "is longer than " + std::to_string(MAX_TEXT) + " bytes";
                return std::nullopt;
            }
            return text;
        },
        [](const std::string& text) { return text; });
}

ValueForm<std::string>
Form::Name()
{
    ValueForm<std::string> form = Text();
    form.shape = ValueShape::Plain(Kind::NAME, 1, MAX_TEXT);
    form.read = [text = form.read](const DocumentNode& node,
                                   const std::string& path,
                                   const DocumentContext& context) -> std::optional<std::string> {
        auto name = text(node, path, context);
        if (name && !IsName(*name))
        {
            context.diagnostics.Error(
                node.GetMark(),
                path,
                Diagnostics::Quote(*name) +
                    " is not a name: use letters, digits, \"-\", \"_\" and \".\"");
            return std::nullopt;
        }
        return name;
    };
    return form;
}

ValueForm<uint64_t>
Form::Integer(uint64_t low, uint64_t high)
{
    return MakeScalar<uint64_t>(
        ValueShape::Plain(Kind::INTEGER, low, high),
        [low, high](const std::string& text, std::string& error) {
            return UnitParser::ParseUnsigned(text, low, high, error);
        },
        [low, high](uint64_t value) {
            return value < low || value > high ? "" : std::to_string(value);
        });
}

ValueForm<double>
Form::Number()
{
    return MakeScalar<double>(
        ValueShape::Plain(Kind::NUMBER),
        [](const std::string& text, std::string& error) {
            std::optional<double> value = UnitParser::ParseDouble(text, error);
            if (value && *value <= 0)
            {
                error = Diagnostics::Quote(text) + " must be above 0";
                value.reset();
            }
            return value;
        },
        [](double value) { return value > 0 ? WriteNumber(value) : ""; });
}

ValueForm<int64_t>
Form::Time(uint64_t low)
{
    const auto least = static_cast<int64_t>(low);
    return MakeScalar<int64_t>(
        ValueShape::Plain(Kind::TIME, low),
        [least](const std::string& text, std::string& error) {
            return RefuseBelow(least, UnitParser::ParseTime(text, error), text, error);
        },
        [least](int64_t value) {
            return value < least ? ""
                                 : WriteUnits(static_cast<uint64_t>(value),
                                              {{1'000'000'000'000, "s"},
                                               {1'000'000'000, "ms"},
                                               {1'000'000, "us"},
                                               {1'000, "ns"},
                                               {1, "ps"}});
        });
}

ValueForm<uint64_t>
Form::Bytes()
{
    return MakeScalar<uint64_t>(
        ValueShape::Plain(Kind::BYTES, 1),
        [](const std::string& text, std::string& error) {
            return RefuseBelow<uint64_t>(1, UnitParser::ParseBytes(text, error), text, error);
        },
        [](uint64_t value) {
            return value == 0 ? ""
                              : WriteUnits(value,
                                           {{1'000'000'000, "GB"},
                                            {1'000'000, "MB"},
                                            {1ULL << 20, "MiB"},
                                            {1'000, "kB"},
                                            {1ULL << 10, "KiB"},
                                            {1, "B"}});
        });
}

ValueForm<uint64_t>
Form::Rate()
{
    return MakeScalar<uint64_t>(
        ValueShape::Plain(Kind::RATE, 1),
        [](const std::string& text, std::string& error) {
            return RefuseBelow<uint64_t>(1, UnitParser::ParseRate(text, error), text, error);
        },
        [](uint64_t value) {
            return value == 0
                       ? ""
                       : WriteUnits(value,
                                    {{1'000'000'000, "Gbps"}, {1'000'000, "Mbps"}, {1, "bps"}});
        });
}

ValueForm<double>
Form::Percentage()
{
    return MakeScalar<double>(
        ValueShape::Plain(Kind::PERCENTAGE),
        [](const std::string& text, std::string& error) {
            std::optional<double> value = UnitParser::ParsePercentage(text, error);
            if (value && *value > 1)
            {
                error = Diagnostics::Quote(text) + " is out of range: at most 100% is wanted";
                value.reset();
            }
            return value;
        },
        [](double value) { return WriteNumber(value * 100) + "%"; });
}

ValueForm<Ratio>
Form::Fraction()
{
    return MakeScalar<Ratio>(ValueShape::Plain(Kind::FRACTION),
                             UnitParser::ParseFraction,
                             [](const Ratio& value) { return value.GetText(); });
}

ValueForm<bool>
Form::Boolean()
{
    return MakeScalar<bool>(ValueShape::Plain(Kind::BOOLEAN),
                            UnitParser::ParseBoolean,
                            [](bool value) { return value ? "true" : "false"; });
}

ValueForm<std::string>
Form::Word(const std::vector<std::string>& words)
{
    ValueShape shape = ValueShape::Plain(Kind::CHOICE);
    shape.words = words;
    return MakeScalar<std::string>(
        shape,
        [words](const std::string& text, std::string& error) -> std::optional<std::string> {
            if (std::find(words.begin(), words.end(), text) == words.end())
            {
                error = Diagnostics::Unknown("value", text, words);
                return std::nullopt;
            }
            return text;
        },
        [](const std::string& text) { return text; });
}

ValueForm<std::vector<const DocumentNode*>>
Form::Scalars(std::size_t count)
{
    using Nodes = std::vector<const DocumentNode*>;
    ValueForm<Nodes> form;
    form.shape = ValueShape::List(ValueShape(), count == 0 ? 1 : count, count);
    form.read = [count](const DocumentNode& node,
                        const std::string& path,
                        const DocumentContext& context) -> std::optional<Nodes> {
        if (!CheckList(node, path, context.diagnostics))
        {
            return std::nullopt;
        }
        Nodes values;
        for (std::size_t i = 0; i < node.items.size(); i++)
        {
            const DocumentNode& item = node.items[i];
            if (!item.IsScalar())
            {
                context.diagnostics.Error(item.GetMark(),
                                          path + "[" + std::to_string(i) + "]",
                                          "wants a single value, not " + item.GetKindName());
                return std::nullopt;
            }
            values.push_back(&item);
        }
        if (count > 0 && values.size() != count)
        {
            context.diagnostics.Error(node.GetMark(),
                                      path,
                                      "wants a list of " +
                                          (count == 2 ? "two" : std::to_string(count)) +
                                          " values, not " + std::to_string(values.size()));
            return std::nullopt;
        }
        return values;
    };
    return form;
}

ValueForm<std::vector<std::string>>
Form::Texts()
{
    const auto scalars = Scalars();
    ValueForm<std::vector<std::string>> form;
    form.shape = scalars.shape;
    form.read = [read = scalars.read](
                    const DocumentNode& node,
                    const std::string& path,
                    const DocumentContext& context) -> std::optional<std::vector<std::string>> {
        const auto nodes = read(node, path, context);
        if (!nodes)
        {
            return std::nullopt;
        }
        std::vector<std::string> texts;
        for (const DocumentNode* item : *nodes)
        {
            texts.push_back(item->text);
        }
        return texts;
    };
    return form;
}

ValueForm<TypedBlock>
Form::Typed(const TypeFamily& family)
{
    ValueForm<TypedBlock> form;
    form.shape = ValueShape::Typed(family);
    form.read = [family](const DocumentNode& node,
                         const std::string& path,
                         const DocumentContext& context) {
        return AttributeReader(context.diagnostics, context.overridden)
            .ReadTyped(node, path, family.suffix, family.base);
    };
    form.write = [](const TypedBlock& block) { return block.typeName; };
    return form;
}

ValueForm<std::string>
Form::TypeName(const TypeFamily& family, const std::string& noun)
{
    ValueForm<std::string> form = Text();
    form.shape = ValueShape::Typed(family);
    form.shape.kind = Kind::TYPE_NAME;
    form.read = [family, noun, text = form.read](
                    const DocumentNode& node,
                    const std::string& path,
                    const DocumentContext& context) -> std::optional<std::string> {
        const auto name = text(node, path, context);
        const auto known = AttributeReader::ListTypes(family.suffix, family.base);
        if (name && std::find(known.begin(), known.end(), *name) == known.end())
        {
            context.diagnostics.Error(node.GetMark(),
                                      path,
                                      Diagnostics::Unknown(noun, *name, known));
            return std::nullopt;
        }
        return name;
    };
    return form;
}

bool
Form::CheckList(const DocumentNode& node, const std::string& path, Diagnostics& diagnostics)
{
    if (node.IsList() && !node.items.empty())
    {
        return true;
    }
    diagnostics.Error(node.GetMark(),
                      path,
                      node.IsList() ? "is an empty list"
                                    : "wants a list, not " + node.GetKindName());
    return false;
}

} // namespace ns3
