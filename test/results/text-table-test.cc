/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/text-table.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ns3
{
namespace tests
{

class TextTableTest : public testing::Test
{
};

TEST_F(TextTableTest, AlignsNamesLeftAndNumbersRight)
{
    TextTable table;
    table.AddColumn("job", false);
    table.AddColumn("GPUs");
    table.AddColumn("status", false);
    table.AddRow({"gpt", "1,024", "finished"});
    table.AddRow({"bert-10", "4"});
    std::ostringstream text;
    table.Print(text);
    EXPECT_EQ(text.str(),
              "  job       GPUs  status\n"
              "  -------  -----  --------\n"
              "  gpt      1,024  finished\n"
              "  bert-10      4\n");
}

TEST_F(TextTableTest, FormatsNumbers)
{
    EXPECT_EQ(TextTable::Number(1.2345, 2), "1.23");
    EXPECT_EQ(TextTable::Number(std::nullopt, 2), "-");
    EXPECT_EQ(TextTable::Change(1.25, 1), "+1.2");
    EXPECT_EQ(TextTable::Change(-0.5, 1), "-0.5");
    EXPECT_EQ(TextTable::Change(-0.04, 1), "0.0"); // no direction that is not shown
    EXPECT_EQ(TextTable::Change(0.04, 1), "0.0");
    EXPECT_EQ(TextTable::Change(std::nullopt, 1), "-");
}

TEST_F(TextTableTest, CountsHaveCommas)
{
    EXPECT_EQ(TextTable::Count(0), "0");
    EXPECT_EQ(TextTable::Count(999), "999");
    EXPECT_EQ(TextTable::Count(1'000), "1,000");
    EXPECT_EQ(TextTable::Count(123'456), "123,456");
    EXPECT_EQ(TextTable::Count(1'234'567), "1,234,567");
    EXPECT_EQ(TextTable::Count(-999), "-999");
    EXPECT_EQ(TextTable::Count(-1'000), "-1,000");
}

TEST_F(TextTableTest, WrapsAtOneHundred)
{
    EXPECT_EQ(TextTable::Wrap("two words"), "two words\n");
    const std::string fifty(50, 'a');
    // 50 + 1 + 49 are 100; one more starts a line.
    EXPECT_EQ(TextTable::Wrap(fifty + " " + fifty.substr(1) + " b"),
              fifty + " " + fifty.substr(1) + "\n  b\n");
    EXPECT_EQ(TextTable::Wrap(fifty + " " + fifty), fifty + "\n  " + fifty + "\n");
    const std::string word(150, 'c');
    EXPECT_EQ(TextTable::Wrap("b " + word), "b\n  " + word + "\n");
}

} // namespace tests
} // namespace ns3
