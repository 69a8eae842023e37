/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_DOCUMENT_TABLE_H
#define GPU_FABRIC_DOCUMENT_TABLE_H

#include "document-block.h"
#include "value-form.h"

#include "ns3/nstime.h"
#include "ns3/quantity.h"

#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * A key of a map, declared once: its name, the form of its value, the member of S that holds it and
 * a sentence for users. The default is the value of the member in a new S. \tparam S the contents
 * of the map, as values
 */
template <class S>
class DocumentKey
{
  public:
    /// Reads a value into S; returns false and reports an error if it is wrong.
    using Reader =
        std::function<bool(S&, const DocumentNode&, const std::string&, const DocumentContext&)>;
    /// The value in S as users write it; empty: none given.
    using Writer = std::function<std::string(const S&)>;

    DocumentKey(const std::string& name, const ValueShape& shape, const std::string& help)
    {
        m_info.name = name;
        m_info.shape = shape;
        m_info.help = help;
    }

    DocumentKey(KeyInfo info, Reader read, Writer write)
        : m_info(std::move(info)),
          m_read(std::move(read)),
          m_write(std::move(write))
    {
    }

    DocumentKey(const std::string& name,
                const ValueShape& shape,
                Reader read,
                Writer write,
                const std::string& help)
        : DocumentKey(name, shape, help)
    {
        m_read = std::move(read);
        m_write = std::move(write);
    }

    /// Makes the key mandatory.
    DocumentKey Required() &&
    {
        m_info.required = true;
        return std::move(*this);
    }

    /// Describes the default of an omitted key, if the member does not show it.
    DocumentKey Otherwise(const std::string& words) &&
    {
        m_info.defaultWords = words;
        return std::move(*this);
    }

    /// Marks the key as known but not supported by this version of the program.
    DocumentKey NotSupported() &&
    {
        m_info.supported = false;
        return std::move(*this);
    }

    /// The same key for a larger value that has S as a member.
    template <class L>
    DocumentKey<L> In(S L::*member) const
    {
        typename DocumentKey<L>::Reader read;
        typename DocumentKey<L>::Writer write;
        if (m_read)
        {
            read = [read = m_read, member](L& value,
                                           const DocumentNode& node,
                                           const std::string& path,
                                           const DocumentContext& context) {
                return read(value.*member, node, path, context);
            };
        }
        if (m_write)
        {
            write = [write = m_write, member](const L& value) { return write(value.*member); };
        }
        return DocumentKey<L>(m_info, read, write);
    }

    /// The documentation of the key, with the default taken from a value.
    KeyInfo GetInfo(const S& defaults) const
    {
        KeyInfo info = m_info;
        info.defaultText =
            m_write && !info.required && info.defaultWords.empty() ? m_write(defaults) : "";
        return info;
    }

    /// Reads a value; returns true if the reader of the map reads it itself.
    bool Read(S& value,
              const DocumentNode& node,
              const std::string& path,
              const DocumentContext& context) const
    {
        return !m_read || m_read(value, node, path, context);
    }

  private:
    KeyInfo m_info;
    Reader m_read;
    Writer m_write;
};

/// The keys of a map and the members they set. \tparam S as for DocumentKey
template <class S>
class DocumentTable
{
  public:
    /// \param name name of the map in the reference, e.g. "job"
    DocumentTable(const std::string& name, const std::vector<DocumentKey<S>>& keys)
    {
        m_info.name = name;
        Add(keys);
    }

    /// Adds the keys of a member of the value.
    template <class B>
    DocumentTable& Add(B S::*member, const DocumentTable<B>& part)
    {
        for (const DocumentKey<B>& key : part.GetKeys())
        {
            Add({key.In(member)});
        }
        return *this;
    }

    DocumentTable& Add(const std::vector<DocumentKey<S>>& keys)
    {
        const S defaults{};
        for (const DocumentKey<S>& key : keys)
        {
            m_keys.push_back(key);
            m_info.keys.push_back(key.GetInfo(defaults));
        }
        return *this;
    }

    const BlockKeys& GetInfo() const
    {
        return m_info;
    }

    const std::vector<DocumentKey<S>>& GetKeys() const
    {
        return m_keys;
    }

    /**
     * Reads a map into a value. If the value of a key is wrong, this is reported and its member is
     * left unchanged.
     * \param path for messages, e.g. "jobs[1]"; empty at the top
     */
    DocumentBlock Read(const DocumentNode& node,
                       const std::string& path,
                       const DocumentContext& context,
                       S& value) const
    {
        DocumentBlock block(node, m_info, path, context.diagnostics);
        for (std::size_t i = 0; node.IsMap() && i < m_keys.size(); i++)
        {
            const KeyInfo& info = m_info.keys[i];
            const DocumentNode* written = info.supported ? block.Find(info.name) : nullptr;
            if (written != nullptr &&
                !m_keys[i].Read(value, *written, block.GetPath(info.name), context))
            {
                block.SetWrong(info.name);
            }
        }
        return block;
    }

    /// Reads the value of one key. \returns whether there is such a key and the value is valid
    bool ReadKey(const std::string& name,
                 const DocumentNode& node,
                 const std::string& path,
                 const DocumentContext& context,
                 S& value) const
    {
        for (std::size_t i = 0; i < m_keys.size(); i++)
        {
            if (m_info.keys[i].name == name)
            {
                return m_keys[i].Read(value, node, path, context);
            }
        }
        return false;
    }

  private:
    BlockKeys m_info;
    std::vector<DocumentKey<S>> m_keys;
};

/// How a member of type M holds the value that a form reads.
template <class M>
struct MemberValue
{
    template <class T>
    static void Set(M& member, const T& value)
    {
        if constexpr (std::is_same_v<M, Time>)
        {
            member = PicoSeconds(value);
        }
        else
        {
            member = static_cast<M>(value);
        }
    }

    template <class T>
    static std::optional<T> Get(const M& member)
    {
        if constexpr (std::is_same_v<M, Time>)
        {
            return member.GetPicoSeconds();
        }
        else
        {
            return static_cast<T>(member);
        }
    }
};

template <class M>
struct MemberValue<std::optional<M>>
{
    template <class T>
    static void Set(std::optional<M>& member, const T& value)
    {
        MemberValue<M>::Set(member.emplace(), value);
    }

    template <class T>
    static std::optional<T> Get(const std::optional<M>& member)
    {
        return member ? MemberValue<M>::template Get<T>(*member) : std::nullopt;
    }
};

template <class UNIT>
struct MemberValue<Quantity<UNIT>>
{
    template <class T>
    static void Set(Quantity<UNIT>& member, const T& value)
    {
        member = Quantity<UNIT>(value);
    }

    template <class T>
    static std::optional<T> Get(const Quantity<UNIT>& member)
    {
        return member.Get();
    }
};

/// A key whose value is set in S and read from it by a pair of functions.
template <class S, class T>
DocumentKey<S>
Key(const std::string& name,
    std::function<void(S&, const T&)> set,
    std::function<std::optional<T>(const S&)> get,
    const ValueForm<T>& form,
    const std::string& help)
{
    const auto read = [set, read = form.read](S& value,
                                              const DocumentNode& node,
                                              const std::string& path,
                                              const DocumentContext& context) {
        const std::optional<T> result = read(node, path, context);
        if (result)
        {
            set(value, *result);
        }
        return result.has_value();
    };
    typename DocumentKey<S>::Writer write;
    if (form.write)
    {
        write = [get, write = form.write](const S& value) {
            const std::optional<T> held = get(value);
            return held ? write(*held) : std::string();
        };
    }
    return DocumentKey<S>(name, form.shape, read, write, help);
}

/// A key whose value is held by a member.
template <class S, class M, class T>
DocumentKey<S>
Key(const std::string& name, M S::*member, const ValueForm<T>& form, const std::string& help)
{
    return Key<S, T>(
        name,
        [member](S& value, const T& read) { MemberValue<M>::Set(value.*member, read); },
        [member](const S& value) { return MemberValue<M>::template Get<T>(value.*member); },
        form,
        help);
}

/// A key whose value is a map that sets more members of the same S.
template <class S>
DocumentKey<S>
Key(const std::string& name, const DocumentTable<S>& table, const std::string& help)
{
    return DocumentKey<S>(
        name,
        ValueShape::Block(table.GetInfo()),
        [&table](S& value,
                 const DocumentNode& node,
                 const std::string& path,
                 const DocumentContext& context) {
            return table.Read(node, path, context, value).IsRight();
        },
        nullptr,
        help);
}

/// A key whose value is a map held by a member.
template <class S, class M>
DocumentKey<S>
Key(const std::string& name, M S::*member, const DocumentTable<M>& table, const std::string& help)
{
    return DocumentKey<S>(
        name,
        ValueShape::Block(table.GetInfo()),
        [&table, member](S& value,
                         const DocumentNode& node,
                         const std::string& path,
                         const DocumentContext& context) {
            return table.Read(node, path, context, value.*member).IsRight();
        },
        nullptr,
        help);
}

} // namespace ns3

#endif // GPU_FABRIC_DOCUMENT_TABLE_H
