/* SPDX-License-Identifier: GPL-2.0-only */
#include "decision-json.h"

#include <charconv>
#include <cmath>

namespace ns3
{

DecisionJson&
DecisionJson::Add(std::string_view key, double value)
{
    AppendKey(key);
    if (!std::isfinite(value))
    {
        m_members += "null";
        return *this;
    }
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
    m_members.append(digits, end);
    return *this;
}

DecisionJson&
DecisionJson::Add(std::string_view key, uint64_t value)
{
    AppendKey(key);
    m_members += std::to_string(value);
    return *this;
}

DecisionJson&
DecisionJson::Add(std::string_view key, uint32_t value)
{
    return Add(key, static_cast<uint64_t>(value));
}

DecisionJson&
DecisionJson::Add(std::string_view key, std::string_view value)
{
    AppendKey(key);
    AppendQuoted(value);
    return *this;
}

DecisionJson&
DecisionJson::AddObject(std::string_view key, const DecisionJson& object)
{
    AppendKey(key);
    m_members += object.Get();
    return *this;
}

DecisionJson&
DecisionJson::AddMembers(std::string_view object)
{
    if (object.size() > 2)
    {
        m_members += m_members.empty() ? "" : ",";
        m_members += object.substr(1, object.size() - 2);
    }
    return *this;
}

std::string
DecisionJson::Get() const
{
    return "{" + m_members + "}";
}

void
DecisionJson::AppendQuoted(std::string_view text)
{
    m_members += '"';
    for (const char c : text)
    {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x20)
        {
            const char* hex = "0123456789abcdef";
            m_members += "\\u00";
            m_members += hex[code >> 4];
            m_members += hex[code & 15];
            continue;
        }
        if (c == '"' || c == '\\')
        {
            m_members += '\\';
        }
        m_members += c;
    }
    m_members += '"';
}

void
DecisionJson::AppendKey(std::string_view key)
{
    if (!m_members.empty())
    {
        m_members += ',';
    }
    AppendQuoted(key);
    m_members += ':';
}

} // namespace ns3
