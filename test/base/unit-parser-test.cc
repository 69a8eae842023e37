/* SPDX-License-Identifier: GPL-2.0-only */

#include "../../model/base/unit-parser.h"

#include <gtest/gtest.h>
#include <limits>

using namespace ns3;

namespace
{

constexpr uint64_t MAX = std::numeric_limits<uint64_t>::max();

/// The value as text, or the error.
template <class T>
std::string
Say(const std::optional<T>& value, const std::string& error)
{
    return value ? std::to_string(*value) : error;
}

std::string
SayTime(const std::string& text)
{
    std::string error;
    const auto value = UnitParser::ParseTime(text, error);
    return Say(value, error);
}

std::string
SayRate(const std::string& text)
{
    std::string error;
    const auto value = UnitParser::ParseRate(text, error);
    return Say(value, error);
}

std::string
SayBytes(const std::string& text)
{
    std::string error;
    const auto value = UnitParser::ParseBytes(text, error);
    return Say(value, error);
}

bool
Has(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST(UnitParserTest, Times)
{
    EXPECT_EQ(SayTime("0ps"), "0");
    EXPECT_EQ(SayTime("1ps"), "1");
    EXPECT_EQ(SayTime("1ns"), "1000");
    EXPECT_EQ(SayTime("5us"), "5000000");
    EXPECT_EQ(SayTime("1.5ms"), "1500000000");
    EXPECT_EQ(SayTime("10s"), "10000000000000");
    EXPECT_EQ(SayTime("1min"), "60000000000000");
    EXPECT_EQ(SayTime("2e3ns"), "2000000");
    EXPECT_EQ(SayTime("1e-12s"), "1");
    EXPECT_EQ(SayTime("0.001ns"), "1");
    EXPECT_EQ(SayTime("1.50000000000000000000000000000us"), "1500000");
    EXPECT_EQ(SayTime("000001us"), "1000000");
}

TEST(UnitParserTest, LargestTime)
{
    // 2^63 - 1 ps is the last that fits.
    EXPECT_EQ(SayTime("9223372036854775807ps"), "9223372036854775807");
    EXPECT_TRUE(Has(SayTime("9223372036854775808ps"), "is too large"));
    EXPECT_EQ(SayTime("9223372.036854775807s"), "9223372036854775807");
    EXPECT_TRUE(Has(SayTime("9223373s"), "is too large"));
    EXPECT_TRUE(Has(SayTime("99999999999999999999999999s"), "is too large"));
    EXPECT_TRUE(Has(SayTime("1e400s"), "is too large"));
    EXPECT_TRUE(Has(SayTime("1e99999999999999999999s"), "is too large"));
    EXPECT_EQ(SayTime("0e99999999999999999999s"), "0");
}

TEST(UnitParserTest, TimesThatAreNoWholePicoseconds)
{
    EXPECT_EQ(SayTime("0.5ps"), "\"0.5ps\" is not a whole number of picoseconds");
    EXPECT_TRUE(Has(SayTime("1e-13s"), "whole number of picoseconds"));
    EXPECT_TRUE(Has(SayTime("1e-400s"), "whole number of picoseconds"));
    EXPECT_TRUE(Has(SayTime("0.12345678901234567890123us"), "whole number of picoseconds"));
}

TEST(UnitParserTest, MistakesWithUnits)
{
    const std::string wanted = "write a time such as 5us (units: ps, ns, us, ms, s, min)";
    EXPECT_EQ(SayTime("5"), "\"5\" has no unit: " + wanted);
    EXPECT_EQ(SayTime("5 us"), "\"5 us\" has a space before its unit: write 5us");
    EXPECT_EQ(SayTime("5sec"), "\"5sec\" has an unknown unit \"sec\": " + wanted);
    EXPECT_EQ(SayTime("5US"), "\"5US\" has an unknown unit \"US\": " + wanted);
    EXPECT_EQ(SayTime("-5us"), "\"-5us\" is negative: " + wanted);
    EXPECT_EQ(SayTime("fast"), "\"fast\" is not a time: " + wanted);
    EXPECT_EQ(SayTime(""), "\"\" is not a time: " + wanted);
    for (const char* text : {"us",
                             ".5us",
                             "5.us",
                             "+5us",
                             "nanus",
                             "infs",
                             "0x5us",
                             "5,5us",
                             " 5us",
                             "5us ",
                             "5e",
                             "5e+s",
                             "1_000us",
                             "5u s"})
    {
        std::string error;
        EXPECT_FALSE(UnitParser::ParseTime(text, error)) << text;
        EXPECT_FALSE(error.empty()) << text;
    }
}

TEST(UnitParserTest, Rates)
{
    EXPECT_EQ(SayRate("1bps"), "1");
    EXPECT_EQ(SayRate("1kbps"), "1000");
    EXPECT_EQ(SayRate("2.5Gbps"), "2500000000");
    EXPECT_EQ(SayRate("100Gb/s"), "100000000000");
    EXPECT_EQ(SayRate("1.6Tbps"), "1600000000000");
    EXPECT_EQ(SayRate("300GB/s"), "2400000000000"); // 300e9 x 8
    EXPECT_EQ(SayRate("18446744073709551615bps"), "18446744073709551615");
    EXPECT_TRUE(Has(SayRate("18446744073709551616bps"), "is too large"));
    EXPECT_TRUE(Has(SayRate("0.5bps"), "is not a whole number of bits per second"));
    EXPECT_TRUE(Has(SayRate("100gbps"), "unknown unit"));
    EXPECT_TRUE(Has(SayRate("100GBps"), "unknown unit"));
}

TEST(UnitParserTest, Sizes)
{
    EXPECT_EQ(SayBytes("0B"), "0");
    EXPECT_EQ(SayBytes("25MB"), "25000000");
    EXPECT_EQ(SayBytes("1kB"), "1000");
    EXPECT_EQ(SayBytes("1KB"), "1000");
    EXPECT_EQ(SayBytes("1KiB"), "1024");
    EXPECT_EQ(SayBytes("64MiB"), "67108864"); // 64 x 2^20
    EXPECT_EQ(SayBytes("1GiB"), "1073741824");
    EXPECT_EQ(SayBytes("0.5KiB"), "512");
    EXPECT_EQ(SayBytes("1TB"), "1000000000000");
    EXPECT_TRUE(Has(SayBytes("0.3KiB"), "is not a whole number of bytes"));
    EXPECT_TRUE(Has(SayBytes("20000000TB"), "is too large"));
    EXPECT_TRUE(Has(SayBytes("25Mb"), "unknown unit"));
}

TEST(UnitParserTest, WholeNumbers)
{
    std::string error;
    EXPECT_EQ(UnitParser::ParseUnsigned("18446744073709551615", 0, MAX, error), MAX);
    EXPECT_FALSE(UnitParser::ParseUnsigned("18446744073709551616", 0, MAX, error));
    EXPECT_EQ(UnitParser::ParseUnsigned("8", 1, 8, error), 8U);
    EXPECT_FALSE(UnitParser::ParseUnsigned("9", 1, 8, error));
    EXPECT_EQ(error, "\"9\" is out of range: a whole number from 1 to 8 is wanted");
    EXPECT_FALSE(UnitParser::ParseUnsigned("-1", 0, 8, error));
    EXPECT_FALSE(UnitParser::ParseUnsigned("0", 1, 8, error));
    for (const char* text : {"", "4.0", "1e3", "0x10", "four", "+4", " 4", "-", "--4"})
    {
        EXPECT_FALSE(UnitParser::ParseUnsigned(text, 0, MAX, error)) << text;
        EXPECT_EQ(error, "\"" + std::string(text) + "\" is not a whole number of 0 or more");
    }

    constexpr int64_t low = std::numeric_limits<int64_t>::min();
    constexpr int64_t high = std::numeric_limits<int64_t>::max();
    EXPECT_EQ(UnitParser::ParseInteger("-9223372036854775808", low, high, error), low);
    EXPECT_EQ(UnitParser::ParseInteger("9223372036854775807", low, high, error), high);
    EXPECT_FALSE(UnitParser::ParseInteger("-9223372036854775809", low, high, error));
    EXPECT_FALSE(UnitParser::ParseInteger("9223372036854775808", low, high, error));
    EXPECT_EQ(UnitParser::ParseInteger("-0", low, high, error), 0);
    EXPECT_FALSE(UnitParser::ParseInteger("-4", -3, 3, error));
}

TEST(UnitParserTest, Numbers)
{
    std::string error;
    EXPECT_EQ(UnitParser::ParseDouble("0.125", error), 0.125);
    EXPECT_EQ(UnitParser::ParseDouble("-2e3", error), -2000.0);
    EXPECT_EQ(UnitParser::ParseDouble("0", error), 0.0);
    EXPECT_EQ(UnitParser::ParseDouble("0e-999", error), 0.0);
    for (const char* text :
         {"nan", "inf", "-inf", "1e400", "1e-400", "0x1p3", "1.", ".5", "1,5", ""})
    {
        error.clear();
        EXPECT_FALSE(UnitParser::ParseDouble(text, error)) << text;
        EXPECT_FALSE(error.empty()) << text;
    }
}

TEST(UnitParserTest, PercentagesFractionsAndTruth)
{
    std::string error;
    EXPECT_EQ(UnitParser::ParsePercentage("1%", error), 0.01);
    EXPECT_EQ(UnitParser::ParsePercentage("12.5%", error), 0.125);
    EXPECT_FALSE(UnitParser::ParsePercentage("1", error));
    EXPECT_FALSE(UnitParser::ParsePercentage("-1%", error));
    EXPECT_FALSE(UnitParser::ParsePercentage("1e999%", error));
    const auto fraction = [&error](const char* text) {
        const std::optional<Ratio> ratio = UnitParser::ParseFraction(text, error);
        return ratio ? std::make_pair(ratio->numerator, ratio->denominator)
                     : std::make_pair(0U, 0U);
    };
    using Fraction = std::pair<uint32_t, uint32_t>;
    EXPECT_EQ(fraction("1/8"), Fraction(1, 8));
    EXPECT_EQ(fraction("1"), Fraction(1, 1));
    EXPECT_EQ(fraction("3/4"), Fraction(3, 4));
    for (const char* text :
         {"0", "0/8", "1/0", "2/1", "1/8/2", "0.125", "-1/8", "1/", "/8", "1 / 8"})
    {
        EXPECT_FALSE(UnitParser::ParseFraction(text, error)) << text;
    }
    EXPECT_EQ(UnitParser::ParseBoolean("true", error), true);
    EXPECT_EQ(UnitParser::ParseBoolean("false", error), false);
    EXPECT_FALSE(UnitParser::ParseBoolean("yes", error));
}
