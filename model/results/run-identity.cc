/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-identity.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Appends a field such that different lists of fields never give the same text.
void
Append(std::string& text, const std::string& field)
{
    text += std::to_string(field.size()) + ":" + field;
}

std::string
GetCommonText(const RunIdentity& identity)
{
    std::string text;
    Append(text, identity.version);
    Append(text, identity.scenarioText);
    std::vector<std::string> overrides = identity.overrides;
    std::sort(overrides.begin(), overrides.end());
    for (const std::string& setting : overrides)
    {
        Append(text, setting);
    }
    return text;
}

} // namespace

std::string
RunIdentity::GetRunId() const
{
    std::string text = GetCommonText(*this) + "|";
    Append(text, scheduler);
    Append(text, std::to_string(seed));
    return Hash(text);
}

std::string
RunIdentity::GetCampaignKey() const
{
    return Hash(GetCommonText(*this));
}

std::string
RunIdentity::Hash(const std::string& text)
{
    __extension__ using Word = unsigned __int128;
    constexpr Word PRIME = (Word{1} << 88) + 0x13b;
    Word hash = (Word{0x6c62272e07bb0142} << 64) + 0x62b821756295c58d;
    for (const char c : text)
    {
        hash = (hash ^ static_cast<unsigned char>(c)) * PRIME;
    }
    std::string digits(32, '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, hash >>= 4)
    {
        *digit = "0123456789abcdef"[static_cast<unsigned>(hash & 15)];
    }
    return digits;
}

} // namespace ns3
