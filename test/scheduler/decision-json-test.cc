/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/scheduler/decision-json.h"

#include <gtest/gtest.h>
#include <limits>

namespace ns3
{
namespace
{

TEST(DecisionJsonTest, KeepsTheOrderOfMembers)
{
    const DecisionJson inner = DecisionJson().Add("x", 1U);
    EXPECT_EQ(DecisionJson()
                  .Add("b", uint64_t{18446744073709551615U})
                  .Add("a", "text")
                  .AddObject("inner", inner)
                  .Get(),
              R"({"b":18446744073709551615,"a":"text","inner":{"x":1}})");
    EXPECT_EQ(DecisionJson().Get(), "{}");
}

TEST(DecisionJsonTest, NumbersReadBackToTheSame)
{
    EXPECT_EQ(DecisionJson().Add("x", 0.1).Get(), R"({"x":0.1})");
    EXPECT_EQ(DecisionJson().Add("x", 1e300).Get(), R"({"x":1e+300})");
    EXPECT_EQ(DecisionJson().Add("x", std::numeric_limits<double>::infinity()).Get(),
              R"({"x":null})");
}

TEST(DecisionJsonTest, EscapesText)
{
    EXPECT_EQ(DecisionJson().Add("a\"b", "back\\slash\nline").Get(),
              R"({"a\"b":"back\\slash\u000aline"})");
}

TEST(DecisionJsonTest, MergesMembers)
{
    EXPECT_EQ(DecisionJson().Add("a", 1U).AddMembers(R"({"b":2})").Get(), R"({"a":1,"b":2})");
    EXPECT_EQ(DecisionJson().AddMembers(R"({"b":2})").Get(), R"({"b":2})");
    EXPECT_EQ(DecisionJson().Add("a", 1U).AddMembers("").AddMembers("{}").Get(), R"({"a":1})");
}

} // namespace
} // namespace ns3
