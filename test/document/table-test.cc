/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/document/document-reference.h"
#include "../../model/document/document-schema.h"
#include "../../model/document/document-table.h"

#include <gtest/gtest.h>
#include <sstream>
#include <yaml-cpp/yaml.h>

using namespace ns3;

namespace ns3
{

enum class Colour
{
    RED,
    GREEN
};

template <>
struct EnumNames<Colour>
{
    static constexpr EnumName<Colour> TABLE[] = {{Colour::RED, "red"}, {Colour::GREEN, "green"}};
};

} // namespace ns3

namespace
{

/// A wheel of a cart.
struct Wheel
{
    uint32_t spokes{12};
};

/// A value with a member of every kind.
struct Cart
{
    std::string name;
    uint32_t wheels{4};
    std::optional<uint64_t> load;
    int64_t lifePs{1'500'000'000};
    ByteSize box{25'000'000};
    BitRate speed{100'000'000'000};
    Time pause{MicroSeconds(5)};
    double slope{0.5};
    bool open{true};
    Colour colour{Colour::GREEN};
    Ratio scale{1, 8};
    std::vector<std::string> owners;
    Wheel wheel;
    uint32_t spare{0}; ///< 0: none
};

const DocumentTable<Cart>&
GetCartKeys()
{
    using S = Cart;
    static const DocumentTable<Wheel> wheel(
        "wheel",
        {Key("spokes", &Wheel::spokes, Form::Integer(1, 100), "Spokes of a wheel.")});
    static const DocumentTable<S> table(
        "cart",
        {Key("name", &S::name, Form::Name(), "Name of the cart.").Required(),
         Key("wheels", &S::wheels, Form::Integer(2, 8), "Its wheels."),
         Key("load", &S::load, Form::Bytes(), "What is on it."),
         Key("life", &S::lifePs, Form::Time(1), "How long it lasts."),
         Key("box", &S::box, Form::Bytes(), "What fits into it."),
         Key("speed", &S::speed, Form::Rate(), "How fast it is."),
         Key("pause", &S::pause, Form::Time(), "How long it rests."),
         Key("slope", &S::slope, Form::Percentage(), "What it can climb."),
         Key("open", &S::open, Form::Boolean(), "Whether it has no roof."),
         Key("colour", &S::colour, Form::Choice<Colour>(), "Its paint."),
         Key("scale", &S::scale, Form::Fraction(), "Its size."),
         Key("owners", &S::owners, Form::Texts(), "Whose it is.").Otherwise("nobody's"),
         Key("wheel", &S::wheel, wheel, "Each wheel."),
         Key("spare", &S::spare, Form::Integer(1, 2), "Spare wheels."),
         DocumentKey<S>("sails", ValueShape(), "Sails.").NotSupported()});
    return table;
}

/// A cart read from a text, its block and the errors.
struct ReadCart
{
    explicit ReadCart(const std::string& text)
        : node(*DocumentNode::Parse("a.yaml", text, diagnostics)),
          block(GetCartKeys().Read(node, "cart", diagnostics, cart))
    {
    }

    Diagnostics diagnostics;
    DocumentNode node;
    Cart cart;
    DocumentBlock block;
};

std::string
GetDefault(const std::string& key)
{
    return GetCartKeys().GetInfo().Find(key)->defaultText;
}

} // namespace

TEST(DocumentTableTest, ReadsIntoMembersOfEveryKind)
{
    const ReadCart read("{name: a, wheels: 2, load: 3kB, life: 2ms, box: 1MiB, speed: 25Gbps, "
                        "pause: 7us, slope: 10%, open: false, colour: red, scale: 1/3, "
                        "owners: [b, c], wheel: {spokes: 3}, spare: 1}");
    EXPECT_TRUE(read.block.IsRight());
    EXPECT_FALSE(read.diagnostics.HasErrors());
    EXPECT_EQ(read.cart.name, "a");
    EXPECT_EQ(read.cart.wheels, 2U);
    EXPECT_EQ(read.cart.load, 3000U);
    EXPECT_EQ(read.cart.lifePs, 2'000'000'000);
    EXPECT_EQ(read.cart.box.Get(), 1048576U);
    EXPECT_EQ(read.cart.speed.Get(), 25'000'000'000U);
    EXPECT_EQ(read.cart.pause, MicroSeconds(7));
    EXPECT_DOUBLE_EQ(read.cart.slope, 0.1);
    EXPECT_FALSE(read.cart.open);
    EXPECT_EQ(read.cart.colour, Colour::RED);
    EXPECT_EQ(read.cart.scale.GetText(), "1/3");
    EXPECT_EQ(read.cart.owners, (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(read.cart.wheel.spokes, 3U);
    EXPECT_EQ(read.cart.spare, 1U);
}

TEST(DocumentTableTest, WhatIsWrongIsReportedAndLeavesItsMember)
{
    const ReadCart read("{wheels: 9, colour: blue, wheel: {spokes: 0}, box: 0B, owners: [[b]],\n"
                        " pause: 5, open: ~, sails: 1, whels: 4, slope: 110%}");
    EXPECT_FALSE(read.block.IsComplete()); // no name
    EXPECT_TRUE(read.block.HasUnknown());
    EXPECT_FALSE(read.block.IsRight());
    EXPECT_TRUE(read.block.IsWrong("wheels"));
    EXPECT_TRUE(read.block.IsWrong("wheel"));
    EXPECT_FALSE(read.block.IsWrong("speed")); // not written
    EXPECT_FALSE(read.block.Has("open"));      // without a value
    EXPECT_EQ(read.block.ListWritten({"speed", "pause", "box"}),
              (std::vector<std::string>{"pause", "box"}));
    EXPECT_EQ(read.cart.wheels, 4U);
    EXPECT_EQ(read.cart.colour, Colour::GREEN);
    EXPECT_EQ(read.cart.wheel.spokes, 12U);
    EXPECT_EQ(read.cart.box.Get(), 25'000'000U);
    EXPECT_EQ(
        read.diagnostics.GetErrors(),
        (std::vector<std::string>{
            "a.yaml:2:12: cart.open: has no value",
            "a.yaml:2:21: cart.sails: is not supported yet",
            "a.yaml:2:31: cart: unknown key \"whels\", did you mean \"wheels\"? Valid keys: box, "
            "colour, life, load, name, open, owners, pause, scale, slope, spare, speed, wheel, "
            "wheels",
            "a.yaml:1:1: cart: name is missing",
            "a.yaml:1:10: cart.wheels: \"9\" is out of range: a whole number from 2 to 8 is wanted",
            "a.yaml:1:52: cart.box: \"0B\" must be above 0",
            "a.yaml:2:9: cart.pause: \"5\" has no unit: write a time such as 5us (units: ps, ns, "
            "us, ms, s, min)",
            "a.yaml:2:48: cart.slope: \"110%\" is out of range: at most 100% is wanted",
            "a.yaml:1:21: cart.colour: unknown value \"blue\"; valid values: green, red",
            "a.yaml:1:65: cart.owners[0]: wants a single value, not a list",
            "a.yaml:1:43: cart.wheel.spokes: \"0\" is out of range: a whole number from 1 to 100 "
            "is wanted"}));
}

TEST(DocumentTableTest, DefaultsAreThoseOfTheMembers)
{
    EXPECT_EQ(GetDefault("wheels"), "4");
    EXPECT_EQ(GetDefault("life"), "1500us"); // 1.5e9 ps, in the largest unit that gives a whole one
    EXPECT_EQ(GetDefault("box"), "25MB");
    EXPECT_EQ(GetDefault("speed"), "100Gbps");
    EXPECT_EQ(GetDefault("pause"), "5us");
    EXPECT_EQ(GetDefault("slope"), "50%");
    EXPECT_EQ(GetDefault("open"), "true");
    EXPECT_EQ(GetDefault("colour"), "green");
    EXPECT_EQ(GetDefault("scale"), "1/8");
    EXPECT_EQ(GetDefault("load"), "");   // optional
    EXPECT_EQ(GetDefault("spare"), "");  // 0 cannot be written
    EXPECT_EQ(GetDefault("name"), "");   // required
    EXPECT_EQ(GetDefault("owners"), ""); // words stand in its place
}

TEST(DocumentTableTest, KeysOfAPartTakeTheirDefaultFromTheWhole)
{
    struct Fleet
    {
        Fleet()
        {
            cart.wheels = 6;
        }

        Cart cart;
    };

    DocumentTable<Fleet> table("fleet", {});
    table.Add(&Fleet::cart, GetCartKeys());
    EXPECT_EQ(table.GetInfo().Find("wheels")->defaultText, "6");
    EXPECT_TRUE(table.GetInfo().Find("name")->required);
    EXPECT_FALSE(table.GetInfo().Find("sails")->supported);
    Diagnostics diagnostics;
    const auto node = DocumentNode::Parse("a.yaml", "{name: a, spare: 2}", diagnostics);
    Fleet fleet;
    EXPECT_TRUE(table.Read(*node, "", diagnostics, fleet).IsRight());
    EXPECT_EQ(fleet.cart.spare, 2U);
    EXPECT_EQ(fleet.cart.wheels, 6U);
}

TEST(DocumentTableTest, SchemaAndReferenceTellTheSame)
{
    std::ostringstream text;
    DocumentSchema::Print(text, "cart", GetCartKeys().GetInfo());
    const YAML::Node schema = YAML::Load(text.str()); // JSON is YAML
    const YAML::Node properties = schema["properties"];
    EXPECT_EQ(schema["required"].size(), 1U);
    EXPECT_EQ(properties["wheels"]["minimum"].as<int>(), 2);
    EXPECT_EQ(properties["wheels"]["default"].as<int>(), 4);
    EXPECT_EQ(properties["box"]["default"].as<std::string>(), "25MB");
    EXPECT_EQ(properties["colour"]["enum"][1].as<std::string>(), "green");
    EXPECT_EQ(properties["owners"]["description"].as<std::string>(),
              "Whose it is. Default: nobody's.");
    EXPECT_EQ(properties["wheel"]["properties"]["spokes"]["maximum"].as<int>(), 100);
    EXPECT_FALSE(properties["sails"]);
    std::ostringstream page;
    DocumentReference::Print(page, "Carts", "Of all sizes.", GetCartKeys().GetInfo());
    EXPECT_EQ(page.str().substr(0, 34), "Carts\n=====\n\nOf all sizes.\n\ncart\n-");
    EXPECT_NE(page.str().find("   * - ``wheels``\n     - integer from 2 to 8\n     - ``4``\n"
                              "     - Its wheels.\n"),
              std::string::npos);
    EXPECT_NE(page.str().find("   * - ``wheel``\n     - map `wheel`_\n     -\n"),
              std::string::npos);
    EXPECT_NE(page.str().find("\nwheel\n-----\n"), std::string::npos);
    EXPECT_EQ(page.str().find("sails"), std::string::npos);
}
