/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_VALUE_FORM_H
#define GPU_FABRIC_VALUE_FORM_H

#include "../base/ratio.h"
#include "../base/typed-block.h"
#include "document-node.h"
#include "value-shape.h"

#include "ns3/enum-names.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What is needed to read a document, besides the document itself.
struct DocumentContext
{
    /// Not explicit: the destination of errors is often all that is needed.
    DocumentContext(Diagnostics& d, std::vector<std::string> attributes = {})
        : diagnostics(d),
          overridden(std::move(attributes))
    {
    }

    Diagnostics& diagnostics;
    /// Attributes that the command line has set, as AttributeReader takes them.
    std::vector<std::string> overridden;
};

/// How values of one kind are read, written and described. \tparam T type of the result
template <class T>
struct ValueForm
{
    ValueShape shape;
    /// Reads the value of a node; returns nothing and reports an error if it is wrong.
    std::function<
        std::optional<T>(const DocumentNode&, const std::string& path, const DocumentContext&)>
        read;
    /// A value as users write it; empty if it stands for an omitted value. May be null.
    std::function<std::string(const T&)> write;
};

/// Forms of values that are common to all documents.
class Form
{
  public:
    /// From 1 to 200 bytes of text.
    static ValueForm<std::string> Text();
    /// Letters, digits and . _ -
    static ValueForm<std::string> Name();
    static ValueForm<uint64_t> Integer(uint64_t low, uint64_t high);
    /// Above 0, without a unit.
    static ValueForm<double> Number();
    /// [ps] \param low 0 or 1
    static ValueForm<int64_t> Time(uint64_t low = 0);
    /// Above 0 [byte].
    static ValueForm<uint64_t> Bytes();
    /// Above 0 [bit/s].
    static ValueForm<uint64_t> Rate();
    /// At most 100 %, as a fraction.
    static ValueForm<double> Percentage();
    /// Numerator and denominator of "1/8".
    static ValueForm<Ratio> Fraction();
    static ValueForm<bool> Boolean();
    /// One of the given words.
    static ValueForm<std::string> Word(const std::vector<std::string>& words);
    /// A list of scalars, which the caller reads. \param count number of scalars; 0: one or more
    static ValueForm<std::vector<const DocumentNode*>> Scalars(std::size_t count = 0);
    /// A list of scalars as texts.
    static ValueForm<std::vector<std::string>> Texts();
    /// `Name` or `{type: Name, Attribute: value, ...}`.
    static ValueForm<TypedBlock> Typed(const TypeFamily& family);
    /// The name of a type. \param noun what messages call it, e.g. "format"
    static ValueForm<std::string> TypeName(const TypeFamily& family, const std::string& noun);

    /// A non-empty list of values of a form.
    template <class T>
    static ValueForm<std::vector<T>> List(const ValueForm<T>& item)
    {
        ValueForm<std::vector<T>> form;
        form.shape = ValueShape::List(item.shape);
        form.read = [item](const DocumentNode& node,
                           const std::string& path,
                           const DocumentContext& context) -> std::optional<std::vector<T>> {
            if (!CheckList(node, path, context.diagnostics))
            {
                return std::nullopt;
            }
            std::vector<T> values;
            for (std::size_t i = 0; i < node.items.size(); i++)
            {
                auto value =
                    item.read(node.items[i], path + "[" + std::to_string(i) + "]", context);
                if (value)
                {
                    values.push_back(std::move(*value));
                }
            }
            return values.size() == node.items.size()
                       ? std::optional<std::vector<T>>(std::move(values))
                       : std::nullopt;
        };
        return form;
    }

    /// A value of an enumeration, by its name.
    template <class E>
    static ValueForm<E> Choice()
    {
        const ValueForm<std::string> word = Word(ListNames<E>());
        ValueForm<E> form;
        form.shape = word.shape;
        form.read = [word](const DocumentNode& node,
                           const std::string& path,
                           const DocumentContext& context) -> std::optional<E> {
            const auto text = word.read(node, path, context);
            return text ? FromName<E>(*text) : std::nullopt;
        };
        form.write = [](const E& value) { return ToName(value); };
        return form;
    }

    /// Checks that a value is a non-empty list; reports an error otherwise.
    static bool CheckList(const DocumentNode& node,
                          const std::string& path,
                          Diagnostics& diagnostics);
};

} // namespace ns3

#endif // GPU_FABRIC_VALUE_FORM_H
