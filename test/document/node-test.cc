/* SPDX-License-Identifier: GPL-2.0-only */

#include "../../model/document/document-node.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

std::optional<DocumentNode>
Parse(const std::string& text, std::string& messages)
{
    Diagnostics diagnostics;
    auto node = DocumentNode::Parse("a", text, diagnostics);
    std::ostringstream stream;
    diagnostics.Print(stream);
    messages = stream.str();
    return node;
}

std::string
Messages(const std::string& text)
{
    std::string messages;
    Parse(text, messages);
    return messages;
}

} // namespace

TEST(DocumentNodeTest, KeepsOrderAndPlaces)
{
    std::string messages;
    const auto root = Parse("b: 1\na:\n  - x\n  - {y: \"z\"}\nc:\n", messages);
    ASSERT_TRUE(root);
    EXPECT_EQ(messages, "");
    ASSERT_EQ(root->keys.size(), 3U);
    EXPECT_EQ(root->keys[0].text, "b");
    EXPECT_EQ(root->keys[1].text, "a");
    const DocumentNode* list = root->Find("a");
    ASSERT_TRUE(list != nullptr && list->IsList());
    EXPECT_EQ(list->items[0].text, "x");
    EXPECT_EQ(list->items[0].line, 3);
    EXPECT_EQ(list->items[0].column, 5);
    EXPECT_EQ(list->items[1].Find("y")->text, "z");
    EXPECT_EQ(list->items[1].Find("y")->column, 9);
    EXPECT_EQ(root->Find("c")->kind, DocumentNode::Kind::NONE);
    EXPECT_EQ(root->Find("d"), nullptr);
}

TEST(DocumentNodeTest, AliasesAreCopied)
{
    std::string messages;
    const auto root = Parse("a: &x {k: [1, 2]}\nb: *x\n", messages);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->Find("b")->Find("k")->items.at(1).text, "2");
    EXPECT_EQ(root->Find("b")->Find("k")->items.at(1).line, 1); // where it was written
    EXPECT_NE(Messages("a: &x [*x]\n").find("an alias stands inside the value it names"),
              std::string::npos);
}

TEST(DocumentNodeTest, KeysGivenTwice)
{
    EXPECT_EQ(Messages("a: 1\nb: {c: 1, c: 2}\na: {d: 1, d: 2}\n"),
              "a:2:11: key \"c\" is given twice, first in line 2\n"
              " 2 | b: {c: 1, c: 2}\n"
              "   |           ^\n"
              "a:3:1: key \"a\" is given twice, first in line 1\n"
              " 3 | a: {d: 1, d: 2}\n"
              "   | ^\n"
              "a:3:11: key \"d\" is given twice, first in line 3\n"
              " 3 | a: {d: 1, d: 2}\n"
              "   |           ^\n");
    EXPECT_NE(Messages("[a, b]: 1\n").find("a key must be a name, not a list"), std::string::npos);
}

TEST(DocumentNodeTest, Limits)
{
    // 32 lists within each other are read, 33 are not.
    EXPECT_EQ(Messages(std::string(32, '[') + std::string(32, ']')), "");
    EXPECT_NE(Messages(std::string(33, '[') + std::string(33, ']')).find("nested deeper than 32"),
              std::string::npos);
    EXPECT_NE(Messages(std::string(1'000'000, '[')).find("nested deeper than 32"),
              std::string::npos);
    std::string block;
    for (int depth = 0; depth < 2000; depth++)
    {
        block += std::string(depth, ' ') + "a:\n";
    }
    EXPECT_NE(Messages(block).find("nested deeper than 32"), std::string::npos);
    std::string many = "[";
    for (int i = 0; i < 500'000; i++)
    {
        many += "1,";
    }
    EXPECT_NE(Messages(many + "]").find("more than 500000 values"), std::string::npos);
}

TEST(DocumentNodeTest, TextMustBeUtf8)
{
    EXPECT_EQ(Messages("a: \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\n"), "");
    // A lone lead byte, an overlong form, a surrogate, a value above U+10FFFF, a cut character.
    for (const char* text : {"a: \xc3",
                             "a: \xc0\xaf",
                             "a: \xed\xa0\x80",
                             "a: \xf4\x90\x80\x80",
                             "a: \xe2\x82",
                             "\x80"})
    {
        EXPECT_NE(Messages(text).find("not UTF-8"), std::string::npos) << text;
    }
    EXPECT_EQ(Messages("a: 1\nb\x01: 2\n"),
              "a:2:2: the file holds a control character: it must be text\n"
              " 2 | b?: 2\n"
              "   |  ^\n");
}

TEST(DocumentNodeTest, OneDocumentWithoutTags)
{
    EXPECT_EQ(Messages("---\na: 1\n...\n"), "");
    EXPECT_NE(Messages("a: 1\n---\nb: 1\n").find("a second document"), std::string::npos);
    EXPECT_NE(Messages("a: !!float 1\n").find("tags are not supported"), std::string::npos);
    EXPECT_NE(Messages("a: !mine [1]\n").find("tags are not supported"), std::string::npos);
    EXPECT_NE(Messages("a: [1\nb: 2\n").find("not valid YAML"), std::string::npos);
    EXPECT_NE(Messages("a: *none\n").find("not valid YAML"), std::string::npos);
}
