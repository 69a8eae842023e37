/* SPDX-License-Identifier: GPL-2.0-only */

#include "../../model/base/diagnostics.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

std::string
Print(const Diagnostics& diagnostics)
{
    std::ostringstream text;
    diagnostics.Print(text);
    return text.str();
}

} // namespace

TEST(DiagnosticsTest, ShowsTheLineAndACaret)
{
    Diagnostics diagnostics;
    diagnostics.AddSource("a.yaml", "one: 1\ntwo: 2\n");
    diagnostics.Error({"a.yaml", 2, 6}, "two", "is wrong");
    EXPECT_EQ(Print(diagnostics), "a.yaml:2:6: two: is wrong\n 2 | two: 2\n   |      ^\n");
}

TEST(DiagnosticsTest, OrdersByFileLineAndColumn)
{
    Diagnostics diagnostics;
    diagnostics.AddSource("main.yaml", "a b\nc\n");
    diagnostics.AddSource("base.yaml", "d\n");
    diagnostics.Error({"base.yaml", 1, 1}, "", "fourth");
    diagnostics.Error({"main.yaml", 2, 1}, "", "third");
    diagnostics.Error({"main.yaml", 1, 3}, "", "second");
    diagnostics.Error({"main.yaml", 1, 1}, "", "first");
    diagnostics.Error({"other.yaml", 0, 0}, "", "last");
    EXPECT_EQ(Print(diagnostics),
              "main.yaml:1:1: first\n 1 | a b\n   | ^\n"
              "main.yaml:1:3: second\n 1 | a b\n   |   ^\n"
              "main.yaml:2:1: third\n 2 | c\n   | ^\n"
              "base.yaml:1:1: fourth\n 1 | d\n   | ^\n"
              "other.yaml: last\n");
}

TEST(DiagnosticsTest, ShowsARepeatedMessageOnce)
{
    Diagnostics diagnostics;
    diagnostics.Error({"a", 1, 1}, "x", "one");
    diagnostics.Error({"a", 1, 1}, "x", "two");
    diagnostics.Error({"a", 1, 1}, "x", "one");
    EXPECT_EQ(Print(diagnostics), "a:1:1: x: one\na:1:1: x: two\n");
}

TEST(DiagnosticsTest, WarningsAreNotErrors)
{
    Diagnostics diagnostics;
    diagnostics.Warning({"a", 1, 1}, "x", "odd");
    EXPECT_FALSE(diagnostics.HasErrors());
    EXPECT_EQ(Print(diagnostics), "a:1:1: warning: x: odd\n");
}

TEST(DiagnosticsTest, ColumnsCountCharacters)
{
    // "é" takes two bytes: byte 10 is character 9.
    Diagnostics diagnostics;
    diagnostics.AddSource("a", "n: caf\xc3\xa9 x\n");
    diagnostics.Error({"a", 1, 10}, "", "here");
    EXPECT_EQ(Print(diagnostics), "a:1:9: here\n 1 | n: caf\xc3\xa9 x\n   |         ^\n");
}

TEST(DiagnosticsTest, ControlCharactersAreNotShown)
{
    Diagnostics diagnostics;
    diagnostics.AddSource("a", "x\x1b[2J\ty\xff\n");
    diagnostics.Error({"a", 1, 7}, "", "bad \x1b[31m\xc2\x9b text");
    EXPECT_EQ(Print(diagnostics), "a:1:7: bad ?[31m? text\n 1 | x?[2J y?\n   |       ^\n");
}

TEST(DiagnosticsTest, OfALongLineThePartAroundTheCaretIsShown)
{
    Diagnostics diagnostics;
    diagnostics.AddSource("a", std::string(500, 'x') + "Y" + std::string(500, 'z'));
    diagnostics.Error({"a", 1, 501}, "", "here");
    // 50 characters before the place and 49 after it.
    EXPECT_EQ(Print(diagnostics),
              "a:1:501: here\n 1 | ..." + std::string(50, 'x') + "Y" + std::string(49, 'z') +
                  "...\n   | " + std::string(53, ' ') + "^\n");
}

TEST(DiagnosticsTest, PlacesOutsideTheTextAreHarmless)
{
    Diagnostics diagnostics;
    diagnostics.AddSource("a", "x\n");
    diagnostics.Error({"a", 99, 99}, "", "far");
    diagnostics.Error({"a", 1, 99}, "", "right");
    EXPECT_EQ(Print(diagnostics), "a:1:2: right\n 1 | x\n   |  ^\na:99:1: far\n 99 |\n    | ^\n");
}

TEST(DiagnosticsTest, NearestName)
{
    const std::vector<std::string> keys{"gpus", "gpus-per-host", "batch-per-gpu", "iterations"};
    EXPECT_EQ(Diagnostics::Nearest("gpu", keys), "gpus");
    EXPECT_EQ(Diagnostics::Nearest("GPUS", keys), "gpus");
    EXPECT_EQ(Diagnostics::Nearest("batch", keys), "batch-per-gpu");
    EXPECT_EQ(Diagnostics::Nearest("iteratoins", keys), "iterations"); // two swapped
    EXPECT_EQ(Diagnostics::Nearest("colour", keys), "");
    EXPECT_EQ(Diagnostics::Nearest("", keys), "");
    // As near to one as to the other.
    EXPECT_EQ(Diagnostics::Nearest("host9", {"host0", "host1"}), "");
    EXPECT_EQ(Diagnostics::Nearest("n8", {"n0"}), "");
}

TEST(DiagnosticsTest, UnknownListsNamesSorted)
{
    EXPECT_EQ(Diagnostics::Unknown("key", "ab", {"c", "b", "a"}),
              "unknown key \"ab\"; valid keys: a, b, c");
    EXPECT_EQ(Diagnostics::Unknown("key", "rat", {"rate", "delay"}),
              "unknown key \"rat\", did you mean \"rate\"? Valid keys: delay, rate");
    EXPECT_EQ(Diagnostics::Unknown("job", "a", {}), "unknown job \"a\": there are none");
    std::vector<std::string> many;
    for (int i = 100; i < 150; i++)
    {
        many.push_back("n" + std::to_string(i));
    }
    const std::string text = Diagnostics::Unknown("host", "x", many);
    EXPECT_NE(text.find("n139 and 10 more"), std::string::npos) << text; // 40 of 50 are shown
}

TEST(DiagnosticsTest, CountsMoreThanTwentyErrorsInsteadOfShowingThem)
{
    Diagnostics diagnostics;
    std::string text;
    for (int i = 1; i <= 400'000; i++)
    {
        diagnostics.Error({"", 0, 0}, "", "error " + std::to_string(i));
        text += i <= 20 ? "error " + std::to_string(i) + "\n" : "";
    }
    for (int i = 1; i <= 21; i++)
    {
        diagnostics.Warning({"", 0, 0}, "", std::to_string(i));
        text += i <= 20 ? "warning: " + std::to_string(i) + "\n" : "";
    }
    // Those added repeatedly count once; all of the cost is linear but for sorting.
    diagnostics.Error({"", 0, 0}, "", "error 7");
    EXPECT_EQ(Print(diagnostics), text + "and 399980 more errors\nand 1 more warnings\n");

    std::vector<Diagnostics::Variant> variants(3);
    for (Diagnostics::Variant& variant : variants)
    {
        variant.diagnostics = diagnostics;
    }
    Diagnostics merged;
    merged.Merge(variants);
    EXPECT_EQ(Print(merged), Print(diagnostics));
}
