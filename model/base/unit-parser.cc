/* SPDX-License-Identifier: GPL-2.0-only */
#include "unit-parser.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

__extension__ typedef unsigned __int128 Wide;

/// A unit, as a multiple of the smallest unit.
struct Unit
{
    const char* name;
    uint64_t scale;
};

/// A kind of quantity: its name, an example, and its units; aliases are not listed to users.
struct Quantity
{
    const char* article; ///< "a time"
    const char* example; ///< "5us"
    const char* whole;   ///< "picoseconds"
    const char* listed;  ///< units as listed to the user
    std::vector<Unit> units;
};

constexpr uint64_t K = 1000;

const Quantity&
TimeQuantity()
{
    static const Quantity quantity{"a time",
                                   "5us",
                                   "picoseconds",
                                   "ps, ns, us, ms, s, min",
                                   {{"ps", 1},
                                    {"ns", K},
                                    {"us", K * K},
                                    {"ms", K * K * K},
                                    {"s", K * K * K * K},
                                    {"min", 60 * K * K * K * K}}};
    return quantity;
}

const Quantity&
RateQuantity()
{
    static const Quantity quantity{"a rate",
                                   "100Gbps",
                                   "bits per second",
                                   "bps, kbps, Mbps, Gbps, Tbps, Gb/s, GB/s",
                                   {{"bps", 1},
                                    {"kbps", K},
                                    {"Mbps", K * K},
                                    {"Gbps", K * K * K},
                                    {"Tbps", K * K * K * K},
                                    {"b/s", 1},
                                    {"kb/s", K},
                                    {"Mb/s", K * K},
                                    {"Gb/s", K * K * K},
                                    {"Tb/s", K * K * K * K},
                                    {"B/s", 8},
                                    {"kB/s", 8 * K},
                                    {"MB/s", 8 * K * K},
                                    {"GB/s", 8 * K * K * K},
                                    {"TB/s", 8 * K * K * K * K}}};
    return quantity;
}

const Quantity&
ByteQuantity()
{
    static const Quantity quantity{"a size",
                                   "32MB",
                                   "bytes",
                                   "B, kB, MB, GB, TB, KiB, MiB, GiB",
                                   {{"B", 1},
                                    {"kB", K},
                                    {"KB", K},
                                    {"MB", K * K},
                                    {"GB", K * K * K},
                                    {"TB", K * K * K * K},
                                    {"KiB", 1024},
                                    {"MiB", 1024 * 1024},
                                    {"GiB", 1024 * 1024 * 1024}}};
    return quantity;
}

bool
IsDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Quotes a text for a message, shortened so that a hostile value does not fill the screen.
std::string
Quote(const std::string& text)
{
    return text.size() <= 60 ? "\"" + text + "\"" : "\"" + text.substr(0, 57) + "...\"";
}

/// A decimal number: mantissa x 10^exponent.
struct Decimal
{
    uint64_t mantissa{0};
    int64_t exponent{0};
    std::size_t length{0}; ///< characters used; 0: the text does not start with a number
    bool tooLong{false};   ///< more significant digits than can be held
};

/// Reads the number at the start of text: digits, a fraction and an exponent.
Decimal
ScanDecimal(const std::string& text)
{
    const auto skipDigits = [&text](std::size_t i) {
        while (i < text.size() && IsDigit(text[i]))
        {
            i++;
        }
        return i;
    };
    Decimal result;
    const std::size_t integerEnd = skipDigits(0);
    if (integerEnd == 0)
    {
        return result;
    }
    std::string digits = text.substr(0, integerEnd);
    int64_t exponent = 0;
    result.length = integerEnd;
    if (integerEnd < text.size() && text[integerEnd] == '.')
    {
        const std::size_t fractionEnd = skipDigits(integerEnd + 1);
        if (fractionEnd == integerEnd + 1)
        {
            result.length = 0; // "5."
            return result;
        }
        digits += text.substr(integerEnd + 1, fractionEnd - integerEnd - 1);
        exponent = -static_cast<int64_t>(fractionEnd - integerEnd - 1);
        result.length = fractionEnd;
    }
    // An exponent only if digits follow, so that a unit may start with an e.
    std::size_t e = result.length;
    if (e < text.size() && (text[e] == 'e' || text[e] == 'E'))
    {
        e++;
        const bool negative = e < text.size() && text[e] == '-';
        e += e < text.size() && (text[e] == '-' || text[e] == '+') ? 1 : 0;
        const std::size_t exponentEnd = skipDigits(e);
        int64_t value = 0;
        for (std::size_t i = e; i < exponentEnd; i++)
        {
            value = std::min<int64_t>(value * 10 + (text[i] - '0'), 1'000'000'000);
        }
        if (exponentEnd > e)
        {
            exponent += negative ? -value : value;
            result.length = exponentEnd;
        }
    }
    while (!digits.empty() && digits.back() == '0')
    {
        digits.pop_back();
        exponent++;
    }
    for (const char c : digits)
    {
        const unsigned digit = c - '0';
        if (result.mantissa > (std::numeric_limits<uint64_t>::max() - digit) / 10)
        {
            result.tooLong = true;
            break;
        }
        result.mantissa = result.mantissa * 10 + digit;
    }
    result.exponent = result.mantissa == 0 ? 0 : exponent;
    return result;
}

enum class ScaleResult
{
    OK,
    INEXACT,
    TOO_LARGE
};

/// decimal x scale as an integer of at most limit.
ScaleResult
Scale(const Decimal& decimal, uint64_t scale, uint64_t limit, uint64_t& result)
{
    if (decimal.tooLong)
    {
        // More than 19 significant digits: whole only if far above any limit.
        return decimal.exponent < 0 ? ScaleResult::INEXACT : ScaleResult::TOO_LARGE;
    }
    Wide value = static_cast<Wide>(decimal.mantissa) * scale;
    for (int64_t e = decimal.exponent; e < 0 && value != 0; e++)
    {
        if (value % 10 != 0)
        {
            return ScaleResult::INEXACT;
        }
        value /= 10;
    }
    for (int64_t e = decimal.exponent; e > 0 && value != 0; e--)
    {
        if (value > limit)
        {
            return ScaleResult::TOO_LARGE;
        }
        value *= 10;
    }
    if (value > limit)
    {
        return ScaleResult::TOO_LARGE;
    }
    result = static_cast<uint64_t>(value);
    return ScaleResult::OK;
}

/// Reads a quantity with its unit.
std::optional<uint64_t>
ParseQuantity(const std::string& text, const Quantity& quantity, uint64_t limit, std::string& error)
{
    const std::string wanted = std::string("write ") + quantity.article + " such as " +
                               quantity.example + " (units: " + quantity.listed + ")";
    if (!text.empty() && text[0] == '-')
    {
        error = Quote(text) + " is negative: " + wanted;
        return std::nullopt;
    }
    const Decimal decimal = ScanDecimal(text);
    if (decimal.length == 0)
    {
        error = Quote(text) + " is not " + quantity.article + ": " + wanted;
        return std::nullopt;
    }
    const std::string number = text.substr(0, decimal.length);
    std::string unitName = text.substr(decimal.length);
    if (unitName.empty())
    {
        error = Quote(text) + " has no unit: " + wanted;
        return std::nullopt;
    }
    const bool space = unitName[0] == ' ';
    unitName.erase(0, unitName.find_first_not_of(' '));
    for (const Unit& unit : quantity.units)
    {
        if (unitName != unit.name)
        {
            continue;
        }
        if (space)
        {
            error = Quote(text) + " has a space before its unit: write " + number + unitName;
            return std::nullopt;
        }
        uint64_t result = 0;
        switch (Scale(decimal, unit.scale, limit, result))
        {
        case ScaleResult::OK:
            return result;
        case ScaleResult::INEXACT:
            error = Quote(text) + " is not a whole number of " + quantity.whole;
            return std::nullopt;
        case ScaleResult::TOO_LARGE:
            error = Quote(text) + " is too large: at most " + std::to_string(limit) + " " +
                    quantity.whole;
            return std::nullopt;
        }
    }
    error = Quote(text) + " has an unknown unit " + Quote(unitName) + ": " + wanted;
    return std::nullopt;
}

} // namespace

std::optional<int64_t>
UnitParser::ParseTime(const std::string& text, std::string& error)
{
    const auto result =
        ParseQuantity(text, TimeQuantity(), std::numeric_limits<int64_t>::max(), error);
    return result ? std::optional<int64_t>(static_cast<int64_t>(*result)) : std::nullopt;
}

std::optional<uint64_t>
UnitParser::ParseRate(const std::string& text, std::string& error)
{
    return ParseQuantity(text, RateQuantity(), std::numeric_limits<uint64_t>::max(), error);
}

std::optional<uint64_t>
UnitParser::ParseBytes(const std::string& text, std::string& error)
{
    return ParseQuantity(text, ByteQuantity(), std::numeric_limits<uint64_t>::max(), error);
}

std::optional<uint64_t>
UnitParser::ParseUnsigned(const std::string& text, uint64_t low, uint64_t high, std::string& error)
{
    std::string range = "from " + std::to_string(low) + " to " + std::to_string(high);
    if (high == std::numeric_limits<uint64_t>::max())
    {
        range = low == 0 ? "of 0 or more" : "of at least " + std::to_string(low);
    }
    const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
    const bool digits =
        text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
    if (!digits)
    {
        error = Quote(text) + " is not a whole number " + range;
        return std::nullopt;
    }
    const Decimal decimal = ScanDecimal(text.substr(sign));
    uint64_t result = 0;
    if (Scale(decimal, 1, high, result) != ScaleResult::OK || result < low ||
        (sign == 1 && result != 0))
    {
        error = Quote(text) + " is out of range: a whole number " + range + " is wanted";
        return std::nullopt;
    }
    return result;
}

std::optional<int64_t>
UnitParser::ParseInteger(const std::string& text, int64_t low, int64_t high, std::string& error)
{
    const std::string range = "from " + std::to_string(low) + " to " + std::to_string(high);
    const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
    const bool digits =
        text.size() > sign && text.find_first_not_of("0123456789", sign) == std::string::npos;
    if (!digits)
    {
        error = Quote(text) + " is not a whole number " + range;
        return std::nullopt;
    }
    constexpr uint64_t max = std::numeric_limits<int64_t>::max();
    uint64_t magnitude = 0;
    const bool fits =
        Scale(ScanDecimal(text.substr(sign)), 1, max + sign, magnitude) == ScaleResult::OK;
    const int64_t result =
        sign == 1 ? static_cast<int64_t>(0 - magnitude) : static_cast<int64_t>(magnitude);
    if (!fits || result < low || result > high)
    {
        error = Quote(text) + " is out of range: a whole number " + range + " is wanted";
        return std::nullopt;
    }
    return result;
}

std::optional<double>
UnitParser::ParseDouble(const std::string& text, std::string& error)
{
    const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
    const std::string number = text.substr(sign);
    const Decimal decimal = ScanDecimal(number);
    if (decimal.length == 0 || decimal.length != number.size())
    {
        error = Quote(text) + " is not a number: write one such as 0.5 or 1e9, without a unit";
        return std::nullopt;
    }
    const double result = std::strtod(text.c_str(), nullptr);
    const bool underflow = result == 0 && (decimal.mantissa != 0 || decimal.tooLong);
    if (!std::isfinite(result) || underflow)
    {
        error = Quote(text) + " is too " + (underflow ? "small" : "large") +
                " for a double-precision number";
        return std::nullopt;
    }
    return result;
}

std::optional<double>
UnitParser::ParsePercentage(const std::string& text, std::string& error)
{
    const Decimal decimal = ScanDecimal(text);
    if (decimal.length == 0 || text.substr(decimal.length) != "%")
    {
        error = Quote(text) + " is not a percentage: write one such as 1% or 0.5%";
        return std::nullopt;
    }
    const auto value = ParseDouble(text.substr(0, decimal.length), error);
    return value ? std::optional<double>(*value / 100) : std::nullopt;
}

std::optional<Ratio>
UnitParser::ParseFraction(const std::string& text, std::string& error)
{
    const std::size_t slash = text.find('/');
    std::string ignored;
    const auto numerator = ParseUnsigned(text.substr(0, slash), 1, 1000000, ignored);
    const auto denominator = slash == std::string::npos
                                 ? std::optional<uint64_t>(1)
                                 : ParseUnsigned(text.substr(slash + 1), 1, 1000000, ignored);
    if (!numerator || !denominator || *numerator > *denominator)
    {
        error = Quote(text) + " is not a fraction above 0 and at most 1: write one such as 1/8";
        return std::nullopt;
    }
    return Ratio{static_cast<uint32_t>(*numerator), static_cast<uint32_t>(*denominator)};
}

std::optional<bool>
UnitParser::ParseBoolean(const std::string& text, std::string& error)
{
    if (text == "true" || text == "false")
    {
        return text == "true";
    }
    error = Quote(text) + " is not a truth value: write true or false";
    return std::nullopt;
}

} // namespace ns3
