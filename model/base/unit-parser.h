/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GPU_FABRIC_UNIT_PARSER_H
#define GPU_FABRIC_UNIT_PARSER_H

#include "ratio.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * Reads the quantities of a user's file strictly, before ns-3's own parsers (which abort, or guess
 * a unit) see them.
 *
 * A unit is mandatory and follows the number without a space. Results are exact integers: a text
 * that is not a whole number of the smallest unit, or does not fit the result, is an error. Numbers
 * are decimal, with an optional fraction and exponent ("1.5", "2e3"); signs, "nan", "inf" and
 * hexadecimal forms are not numbers. Every function returns nothing on an error and then sets
 * error to a sentence without a full stop that quotes the text and names what is accepted.
 */
class UnitParser
{
  public:
    /// A time; ps ns us ms s min. \returns [ps], 0 or more
    static std::optional<int64_t> ParseTime(const std::string& text, std::string& error);
    /**
     * A rate; bps kbps Mbps Gbps Tbps, the same as b/s kb/s Mb/s Gb/s Tb/s, and bytes per second
     * as B/s kB/s MB/s GB/s TB/s; prefixes are powers of 1000.
     * \returns [bit/s]
     */
    static std::optional<uint64_t> ParseRate(const std::string& text, std::string& error);
    /// A size; B kB KB MB GB TB are powers of 1000, KiB MiB GiB powers of 1024. \returns [byte]
    static std::optional<uint64_t> ParseBytes(const std::string& text, std::string& error);
    /// A whole number without a unit between low and high.
    static std::optional<uint64_t> ParseUnsigned(const std::string& text,
                                                 uint64_t low,
                                                 uint64_t high,
                                                 std::string& error);
    /// A whole number without a unit between low and high; a leading "-" is allowed.
    static std::optional<int64_t> ParseInteger(const std::string& text,
                                               int64_t low,
                                               int64_t high,
                                               std::string& error);
    /// A finite number without a unit; a leading "-" is allowed.
    static std::optional<double> ParseDouble(const std::string& text, std::string& error);
    /// A percentage such as "1.5%". \returns the fraction, 0.015, 0 or more
    static std::optional<double> ParsePercentage(const std::string& text, std::string& error);
    /// A fraction above 0 and at most 1: "1/8", or "1". Parts are at most 1,000,000.
    static std::optional<Ratio> ParseFraction(const std::string& text, std::string& error);
    /// "true" or "false".
    static std::optional<bool> ParseBoolean(const std::string& text, std::string& error);
};

} // namespace ns3

#endif // GPU_FABRIC_UNIT_PARSER_H
