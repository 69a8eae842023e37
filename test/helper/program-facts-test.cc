/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../helper/app/program-facts.h"
#include "../fixture/scenario-fixture.h"

using namespace ns3;

TEST(ProgramFactsTest, AreThoseOfTheProgramAndItsLibraries)
{
    const ProgramFacts facts = ProgramFacts::OfThisProcess();
    const std::string text = facts.GetText();
    EXPECT_EQ(text.find("the program: "), 0u);
    EXPECT_NE(text.find("libns3-core"), std::string::npos) << text;
    EXPECT_NE(text.find("the compiler: "), std::string::npos) << text;
    EXPECT_NE(text.find("ns-3's release: 3."), std::string::npos) << text;
    EXPECT_EQ(text.find("libc.so"), std::string::npos) << text; // the system's
    EXPECT_EQ(text, ProgramFacts::OfThisProcess().GetText());
    EXPECT_EQ(facts.GetHash(), ProgramFacts::OfThisProcess().GetHash());
    EXPECT_FALSE(facts.HasChangedSince());
}

TEST(ProgramFactsTest, WhatHasChangedIsSaid)
{
    ProgramFacts facts;
    facts.Add("the program", "1");
    facts.Add("libmine.so", "2");
    facts.Add("the solver cbc", "2.10.8, 3");
    EXPECT_EQ(facts.GetText(), "the program: 1\nlibmine.so: 2\nthe solver cbc: 2.10.8, 3\n");
    EXPECT_EQ(facts.GetChange(facts.GetText()), "");
    EXPECT_EQ(facts.GetChange("the program: 0\nlibmine.so: 2\nthe solver cbc: 2.10.8, 3\n"),
              "the program has changed");
    EXPECT_EQ(facts.GetChange("the program: 0\nlibmine.so: 2\n"),
              "the program and the solver cbc have changed");
    // What is no more, after what is.
    EXPECT_EQ(facts.GetChange("the program: 0\nlibmine.so: 1\nthe solver cbc: 2.10.8, 3\na: 1\n"),
              "the program, libmine.so and a have changed");
}

TEST(ProgramFactsTest, EveryByteOfAFileCounts)
{
    const ScenarioFolder folder;
    const std::string text(100, 'a');
    const std::string file = folder.Write("file", text);
    const std::string hash = ProgramFacts::HashFile(file);
    EXPECT_EQ(hash.size(), 32u);
    EXPECT_EQ(ProgramFacts::HashFile(folder.Write("copy", text)), hash);
    for (size_t at = 0; at < text.size(); ++at)
    {
        std::string other = text;
        other[at] = 'b';
        EXPECT_NE(ProgramFacts::HashFile(folder.Write("copy", other)), hash) << at;
    }
    // Words that change places, zeros at the end.
    EXPECT_NE(ProgramFacts::HashFile(folder.Write("x", "aaaaaaaabbbbbbbbccccccccdddddddd")),
              ProgramFacts::HashFile(folder.Write("y", "ccccccccbbbbbbbbaaaaaaaadddddddd")));
    EXPECT_NE(ProgramFacts::HashFile(folder.Write("x", "a")),
              ProgramFacts::HashFile(folder.Write("y", std::string("a\0", 2))));
    EXPECT_NE(ProgramFacts::HashFile(folder.Write("x", "")), "");
    EXPECT_EQ(ProgramFacts::HashFile(folder.GetPath("none")), "");
}
