/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/collective/collective-figures.h"
#include "../../model/collective/msccl/msccl-exporter.h"
#include "../../model/collective/msccl/msccl-importer.h"
#include "../../model/collective/msccl/msccl-reader.h"
#include "../fixture/attribute-refusal-fixture.h"
#include "../fixture/collective-fixture.h"
#include "../fixture/scenario-fixture.h"
#include "../fixture/shared-data.h"

#include "ns3/boolean.h"
#include "ns3/string.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>

using namespace ns3;

namespace
{

/// The result of reading an XML text.
struct Imported
{
    std::optional<MscclProgram> program;
    std::optional<CollectiveSchedule> schedule;
    std::string messages;
};

Imported
Import(std::optional<MscclProgram> program, Diagnostics& diagnostics)
{
    Imported imported;
    imported.program = std::move(program);
    if (imported.program)
    {
        imported.schedule = MscclImporter(*imported.program, diagnostics).Import(true);
    }
    std::ostringstream messages;
    diagnostics.Print(messages);
    imported.messages = messages.str();
    return imported;
}

Imported
ImportText(const std::string& text)
{
    Diagnostics diagnostics;
    return Import(MscclReader(diagnostics).ReadText(text, "x.xml"), diagnostics);
}

/// A program of thread blocks for two GPUs, with this header.
std::string
MakeText(const std::string& header, const std::string& first, const std::string& second)
{
    return "<algo name=\"test\" proto=\"Simple\" nchannels=\"2\" ngpus=\"2\" " + header + ">\n" +
           "<gpu id=\"0\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"2\">\n" + first + "</gpu>\n" +
           "<gpu id=\"1\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"2\">\n" + second +
           "</gpu>\n</algo>\n";
}

/// A thread block.
std::string
Block(int id, int send, int receive, int channel, const std::vector<std::string>& steps)
{
    std::string text = "<tb id=\"" + std::to_string(id) + "\" send=\"" + std::to_string(send) +
                       "\" recv=\"" + std::to_string(receive) + "\" chan=\"" +
                       std::to_string(channel) + "\">\n";
    for (size_t s = 0; s < steps.size(); s++)
    {
        text += "<step s=\"" + std::to_string(s) + "\" " + steps[s] + "/>\n";
    }
    return text + "</tb>\n";
}

/// "type src:offset dst:offset cnt", waiting for a step if a block is given.
std::string
Step(const std::string& type,
     const std::string& source,
     int sourceChunk,
     const std::string& destination,
     int destinationChunk,
     int count = 1,
     int block = -1,
     int step = -1)
{
    std::ostringstream text;
    text << "type=\"" << type << "\" srcbuf=\"" << source << "\" srcoff=\"" << sourceChunk
         << "\" dstbuf=\"" << destination << "\" dstoff=\"" << destinationChunk << "\" cnt=\""
         << count << "\" depid=\"" << block << "\" deps=\"" << step << "\" hasdep=\"0\"";
    return text.str();
}

const std::string ALL_REDUCE_HEADER = "nchunksperloop=\"2\" coll=\"allreduce\" inplace=\"1\"";
const std::string NOP_AFTER = "type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" "
                              "cnt=\"0\" hasdep=\"0\" ";

/// The two ranks of a ring of 2 chunks: each reduces one and gets the other.
std::string
MakeRing(const std::string& second)
{
    return MakeText(
        ALL_REDUCE_HEADER,
        Block(0,
              1,
              1,
              0,
              {Step("s", "i", 0, "i", 0), Step("rrcs", "i", 1, "i", 1), Step("r", "i", 0, "i", 0)}),
        second);
}

const std::string RING_SECOND =
    Block(0,
          0,
          0,
          0,
          {Step("s", "i", 1, "i", 1), Step("rrcs", "i", 0, "i", 0), Step("r", "i", 1, "i", 1)});

} // namespace

TEST(MscclTest, ReadsARing)
{
    const Imported ring = ImportText(MakeRing(RING_SECOND));
    ASSERT_TRUE(ring.schedule) << ring.messages;
    EXPECT_EQ(ring.messages, "");
    EXPECT_EQ(ring.schedule->algorithm, "test");
    EXPECT_EQ(ring.schedule->operation, CollectiveOperation::ALL_REDUCE);
    EXPECT_EQ(ring.schedule->transfers.size(), 4u);
    const CollectiveFigures figures = CollectiveFigures::Make(*ring.schedule);
    // 2 (n-1)/n of 2 chunks.
    EXPECT_EQ(figures.mostEgress, 2u);
    EXPECT_EQ(figures.makespan, 2u);
    EXPECT_EQ(UnitLinkRun(*ring.schedule, 2000).GetEnd(), 2000);
}

TEST(MscclTest, ReduceAndSendStoresNothing)
{
    // Rank 0's chunk 0 goes to rank 1, which adds its own and sends the sum back ("rrs"): rank 1
    // itself must not have it.
    const auto build = [](const std::string& type) {
        return MakeText(
            ALL_REDUCE_HEADER,
            Block(0, 1, 1, 0, {Step("s", "i", 0, "i", 0, 2), Step("r", "i", 0, "i", 0, 2)}),
            Block(0, 0, 0, 0, {Step(type, "i", 0, "i", 0, 2)}));
    };
    EXPECT_TRUE(ImportText(build("rrcs")).schedule);
    const Imported nothing = ImportText(build("rrs"));
    EXPECT_FALSE(nothing.schedule);
    EXPECT_EQ(nothing.messages.substr(0, nothing.messages.find('\n')),
              "x.xml:1:1: rank 1 ends without the result in chunk 0");
}

TEST(MscclTest, ReduceAndCopyMayStoreElsewhere)
{
    // Out of place: input of both, added up into the output ("rrc" with src i and dst o).
    const std::string header = "nchunksperloop=\"1\" coll=\"allreduce\"";
    const auto one = [](int peer) {
        return Block(0, peer, -1, 0, {Step("s", "i", 0, "o", 0)}) +
               Block(1, -1, peer, 0, {Step("rrc", "i", 0, "o", 0)});
    };
    const Imported sum = ImportText(MakeText(header, one(1), one(0)));
    ASSERT_TRUE(sum.schedule) << sum.messages;
    // Two messages, and a copy of the input on each rank.
    EXPECT_EQ(sum.schedule->transfers.size(), 4u);
    EXPECT_EQ(CollectiveFigures::Make(*sum.schedule).makespan, 1u);
}

TEST(MscclTest, WaitsOfNopsAddUp)
{
    // Rank 1 gets two chunks on two channels into scratch and copies both when both are there.
    const std::string header = "nchunksperloop=\"2\" coll=\"broadcast\" inplace=\"1\"";
    const std::string first = Block(0, 1, -1, 0, {Step("s", "o", 0, "s", 0)}) +
                              Block(1, 1, -1, 1, {Step("s", "o", 1, "s", 1)});
    const auto second = [](const std::vector<std::string>& local) {
        return Block(0, -1, 0, 0, {Step("r", "o", 0, "s", 0)}) +
               Block(1, -1, 0, 1, {Step("r", "o", 1, "s", 1)}) + Block(2, -1, -1, 0, local);
    };
    const Imported both = ImportText(MakeText(header,
                                              first,
                                              second({NOP_AFTER + "depid=\"0\" deps=\"0\"",
                                                      NOP_AFTER + "depid=\"-1\" deps=\"-1\"",
                                                      Step("cpy", "s", 0, "o", 0, 2, 1, 0)})));
    ASSERT_TRUE(both.schedule) << both.messages;
    const Imported one =
        ImportText(MakeText(header, first, second({Step("cpy", "s", 0, "o", 0, 2, 1, 0)})));
    EXPECT_FALSE(one.schedule);
    EXPECT_NE(one.messages.find("race for scratch chunk 0 of rank 1"), std::string::npos)
        << one.messages;
    // "ra" adds what is no part of the collective: it needs the chunk, and changes nothing here.
    const Imported residual = ImportText(MakeText(header,
                                                  first,
                                                  second({NOP_AFTER + "depid=\"0\" deps=\"0\"",
                                                          Step("cpy", "s", 0, "o", 0, 2, 1, 0),
                                                          Step("ra", "s", 0, "o", 0, 2)})));
    ASSERT_TRUE(residual.schedule) << residual.messages;
    EXPECT_EQ(residual.schedule->transfers.size(), both.schedule->transfers.size() + 1);
    const MscclProgram exported = MscclExporter(*residual.schedule).Export();
    EXPECT_NE(exported.ToXml().find("type=\"ra\""), std::string::npos);
    EXPECT_TRUE(*ImportText(exported.ToXml()).schedule == *residual.schedule);
}

TEST(MscclTest, StepsOfABlockHoldBackWhatArrives)
{
    // Both chunks of rank 0 go through scratch chunk 0 of rank 1, on one channel: the second is
    // received after the first has been copied, because its block does so in between.
    const std::string header = "nchunksperloop=\"2\" coll=\"broadcast\" inplace=\"1\"";
    const std::string first =
        Block(0, 1, -1, 0, {Step("s", "o", 0, "s", 0), Step("s", "o", 1, "s", 0)});
    const std::vector<std::string> steps{Step("r", "o", 0, "s", 0),
                                         Step("cpy", "s", 0, "o", 0),
                                         Step("r", "o", 1, "s", 0),
                                         Step("cpy", "s", 0, "o", 1)};
    const Imported inOrder = ImportText(MakeText(header, first, Block(0, -1, 0, 0, steps)));
    ASSERT_TRUE(inOrder.schedule) << inOrder.messages;
    EXPECT_TRUE(inOrder.schedule->IsStaged());
    EXPECT_EQ(CollectiveFigures::Make(*inOrder.schedule).makespan, 2u);
    EXPECT_EQ(UnitLinkRun(*inOrder.schedule, 2000).GetEnd(), 2000);
    const std::vector<std::string> wrong{steps[0], steps[2], steps[1], steps[3]};
    EXPECT_FALSE(ImportText(MakeText(header, first, Block(0, -1, 0, 0, wrong))).schedule);
}

TEST(MscclTest, MalformedFilesAreLocated)
{
    const std::string tb = "<tb id=\"0\" send=\"-1\" recv=\"-1\" chan=\"0\">\n";
    const auto step = [&tb](const std::string& attributes) {
        return MakeText(ALL_REDUCE_HEADER, tb + "<step " + attributes + "/>\n</tb>\n", "");
    };
    const std::string rest = "srcbuf=\"i\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"1\" cnt=\"1\" ";
    const std::string none = "depid=\"-1\" deps=\"-1\"";
    const auto ring = [](const std::string& from, const std::string& to) {
        std::string second = RING_SECOND;
        const size_t at = second.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return MakeRing(second.replace(at, from.size(), to));
    };
    const std::vector<std::pair<std::string, std::string>> cases{
        // Not XML.
        {"", "x.xml:1:1: no element found"},
        {"<algo", "x.xml:1:1: unclosed token"},
        {"<algo>\n<gpu>\n</algo>", "x.xml:3:3: mismatched tag"},
        {"<algo name=\"a\" name=\"b\"/>", "x.xml:1:16: duplicate attribute"},
        {std::string("<a\0b/>", 6), "x.xml:1:3: not well-formed (invalid token)"},
        {"<algo>&undefined;</algo>", "x.xml:1:7: undefined entity"},
        // Not a program.
        {"<algorithm/>",
         "x.xml:1:1: unknown element \"algorithm\"; valid elements: algo, gpu, step, tb"},
        {"<gpu/>", "x.xml:1:1: <gpu> at the top, where <algo> belongs"},
        {"<algo/>", "x.xml:1:1: <algo> lacks the attribute \"name\""},
        {MakeText("nchunksperloop=\"2\" coll=\"allreduce\"", "<step/>", ""),
         "x.xml:3:1: <step> inside <gpu>"},
        {MakeText("nchunksperloop=\"2\" coll=\"allreduce\"", "hello", ""),
         "x.xml:3:1: text \"hello\" where only elements belong"},
        {MakeText("nchunksperloop=\"2\" coll=\"allreduze\"", "", ""),
         "x.xml:1:1: unknown collective \"allreduze\", did you mean \"allreduce\"? Valid "
         "collectives: allgather, allreduce, alltoall, broadcast, custom, reduce, reduce_scatter, "
         "reducescatter"},
        {MakeText("nchunksperloop=\"3\" coll=\"allgather\"", "", ""),
         "x.xml:1:1: nchunksperloop is 3, not a multiple of ngpus, 2"},
        {MakeText("nchunksperloop=\"0\" coll=\"allreduce\"", "", ""),
         "x.xml:1:1: nchunksperloop=\"0\" is not an integer from 1 to 1000000"},
        {MakeText("nchunksperloop=\"99999999999999999999\" coll=\"allreduce\"", "", ""),
         "x.xml:1:1: nchunksperloop=\"99999999999999999999\" is not an integer from 1 to 1000000"},
        {MakeText("nchunksperloop=\"2\" coll=\"allreduce\" minBytes=\"2\" maxBytes=\"1\"", "", ""),
         "x.xml:1:1: minBytes is more than maxBytes"},
        {"<algo name=\"\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"1\" ngpus=\"2\" "
         "coll=\"allreduce\">\n<gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\"/></algo>",
         "x.xml:1:1: gpu 1 is missing, ngpus is 2"},
        {MakeText(ALL_REDUCE_HEADER,
                  "",
                  "</gpu>\n<gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" "
                  "s_chunks=\"0\">"),
         "x.xml:6:1: gpu 0 is given twice"},
        {MakeText(ALL_REDUCE_HEADER, Block(1, -1, -1, 0, {}), ""),
         "x.xml:3:1: tb 1 of gpu 0 where tb 0 should come"},
        {MakeText(ALL_REDUCE_HEADER, Block(0, 0, -1, 0, {}), ""),
         "x.xml:3:1: gpu 0 is its own peer"},
        {MakeText(ALL_REDUCE_HEADER, Block(0, 2, -1, 0, {}), ""),
         "x.xml:3:1: send=\"2\" is not an integer from -1 to 1"},
        {MakeText(ALL_REDUCE_HEADER, Block(0, 1, -1, 2, {}), ""),
         "x.xml:3:1: chan=\"2\" is not an integer from 0 to 1"},
        {MakeText(ALL_REDUCE_HEADER, Block(0, 1, -1, 0, {}) + Block(1, 1, -1, 0, {}), ""),
         "x.xml:5:1: tb 1 of gpu 0 sends to gpu 1 on channel 0, and so does tb 0"},
        // Steps.
        {step("s=\"1\" type=\"cpy\" " + rest + none), "x.xml:4:1: step 1 where step 0 should come"},
        {step("s=\"0\" type=\"cp\" " + rest + none),
         "x.xml:4:1: unknown type \"cp\"; valid types: cpy, nop, r, ra, rcs, re, rrc, rrcs, rrs, "
         "s"},
        {step("s=\"0\" type=\"s\" " + rest + none),
         "x.xml:4:1: \"s\" in a thread block that sends to no GPU"},
        {step("s=\"0\" type=\"rrc\" " + rest + none),
         "x.xml:4:1: \"rrc\" in a thread block that receives from no GPU"},
        {step(
             "s=\"0\" type=\"cpy\" srcbuf=\"x\" srcoff=\"0\" dstbuf=\"i\" dstoff=\"1\" cnt=\"1\" " +
             none),
         "x.xml:4:1: srcbuf: unknown buffer \"x\"; valid buffers: i, o, s"},
        {step(
             "s=\"0\" type=\"cpy\" srcbuf=\"s\" srcoff=\"1\" dstbuf=\"i\" dstoff=\"0\" cnt=\"2\" " +
             none),
         "x.xml:4:1: chunks 1 to 2 of buffer \"s\" of gpu 0, which has 2"},
        {step("s=\"0\" type=\"cpy\" " + rest + "depid=\"1\" deps=\"0\""),
         "x.xml:4:1: depid names tb 1, gpu 0 has 1"},
        {step("s=\"0\" type=\"cpy\" " + rest + "depid=\"0\" deps=\"-1\""),
         "x.xml:4:1: depid and deps must both be -1, or neither"},
        {step("s=\"0\" type=\"cpy\" " + rest + "depid=\"0\" deps=\"0\""),
         "x.xml:4:1: waits for itself or a later step of its thread block"},
        {step("s=\"0\" " + rest + none), "x.xml:4:1: <step> lacks the attribute \"type\""},
        {MakeText(ALL_REDUCE_HEADER,
                  Block(0,
                        -1,
                        -1,
                        0,
                        {NOP_AFTER + "depid=\"1\" deps=\"0\"", Step("cpy", "i", 0, "s", 0)}) +
                      Block(1, -1, -1, 0, {NOP_AFTER + "depid=\"0\" deps=\"0\""}),
                  ""),
         "x.xml:8:1: waits for itself, directly or through others"},
        {MakeText(ALL_REDUCE_HEADER,
                  Block(0, -1, -1, 0, {Step("cpy", "i", 0, "s", 0, 1, 1, 0)}) +
                      Block(1, -1, -1, 0, {Step("cpy", "i", 1, "s", 1, 1, 0, 0)}),
                  ""),
         "x.xml:1:1: transfer 0 (within rank 0) waits for itself, directly or through others"},
        // Messages.
        {ring("type=\"r\"", "type=\"s\""),
         "x.xml:13:1: message 2 from gpu 1 to gpu 0 on channel 0 is never received"},
        {ring("type=\"r\"", "type=\"nop\""),
         "x.xml:5:1: message 1 from gpu 0 to gpu 1 on channel 0 is never received"},
        {ring("type=\"s\"", "type=\"nop\""),
         "x.xml:6:1: message 1 from gpu 1 to gpu 0 on channel 0 is never sent"},
        {ring("srcoff=\"1\" dstbuf=\"i\" dstoff=\"1\" cnt=\"1\"",
              "srcoff=\"0\" dstbuf=\"i\" dstoff=\"0\" cnt=\"2\""),
         "x.xml:5:1: receives 1 chunks, message 0 from gpu 1 to gpu 0 on channel 0 has 2"},
        {ring("type=\"rrcs\"", "type=\"rcs\""),
         "x.xml:1:1: transfer 3 (rank 1 to rank 0) brings what is already there"}};
    for (const auto& [text, expected] : cases)
    {
        const Imported imported = ImportText(text);
        EXPECT_FALSE(imported.schedule) << text;
        EXPECT_NE(("\n" + imported.messages).find("\n" + expected), std::string::npos)
            << text << "\n"
            << imported.messages << "expected: " << expected;
    }
    Diagnostics diagnostics;
    EXPECT_FALSE(MscclReader(diagnostics).ReadFile("none.xml"));
    EXPECT_FALSE(MscclReader(diagnostics).ReadFile("."));
    std::ostringstream messages;
    diagnostics.Print(messages);
    EXPECT_EQ(messages.str(), ".: is a directory, not a file\nnone.xml: no such file\n");
}

TEST(MscclTest, AnyByteChangedIsNoCrash)
{
    // What is read is a program, or refused with a message.
    const std::string text = MakeRing(RING_SECOND);
    for (size_t i = 0; i < text.size(); i++)
    {
        for (const char replacement : {'\0', '9', '"', '<', 'x'})
        {
            std::string changed = text;
            changed[i] = replacement;
            const Imported imported = ImportText(changed);
            EXPECT_TRUE(imported.schedule || !imported.messages.empty()) << changed;
        }
        // The last byte is the end of a line.
        const Imported cut = ImportText(text.substr(0, i));
        EXPECT_EQ(cut.schedule.has_value(), i + 1 == text.size());
        EXPECT_EQ(cut.messages.empty(), i + 1 == text.size());
    }
}

TEST(MscclTest, UnknownAttributesAreWarnings)
{
    const Imported imported =
        ImportText(MakeRing(RING_SECOND).replace(0, 6, "<algo redup=\"sum\" "));
    EXPECT_TRUE(imported.schedule);
    EXPECT_EQ(imported.messages.find("x.xml:1:1: warning: algo: unknown attribute \"redup\", did "
                                     "you mean \"redop\"?"),
              0u)
        << imported.messages;
}

TEST(MscclTest, ExportOfEveryAlgorithmComesBack)
{
    uint32_t count = 0;
    for (const std::string& name : CollectiveAlgorithm::GetNames())
    {
        const Ptr<CollectiveAlgorithm> algorithm = CollectiveAlgorithm::Create(name);
        for (CollectiveOperation operation : GetCollectiveOperations())
        {
            for (uint32_t ranks : {1U, 2U, 3U, 6U, 8U})
            {
                CollectiveCall call{operation, 3'000'000, ranks - 1, {}};
                if (operation == CollectiveOperation::SEND_RECEIVE)
                {
                    call.destinations.assign(ranks, CollectiveCall::NOBODY);
                    call.destinations[0] = ranks - 1;
                }
                const CollectiveLayout layout = MakeCollectiveLayouts(ranks)[3];
                for (uint64_t bytes : {uint64_t{1000}, uint64_t{3'000'000}})
                {
                    call.bytes = bytes;
                    if (!algorithm->GetUnsupportedReason(call, layout).empty())
                    {
                        continue;
                    }
                    const CollectiveSchedule schedule = algorithm->Build(call, layout, 2);
                    const std::string xml = MscclExporter(schedule).Export().ToXml();
                    const Imported imported = ImportText(xml);
                    ASSERT_TRUE(imported.schedule) << imported.messages;
                    EXPECT_TRUE(*imported.schedule == schedule.GetCanonical())
                        << name << " " << GetCollectiveOperationName(operation) << " " << ranks;
                    // And the same file from that.
                    EXPECT_EQ(MscclExporter(*imported.schedule).Export().ToXml(), xml);
                    count++;
                }
            }
        }
    }
    EXPECT_GT(count, 100u);
}

TEST(MscclTest, PublishedProgramsSendWhatTheyShould)
{
    // The programs of Azure/msccl-scheduler for NCv4 and NDv4, not part of the project: chunks a
    // loop, messages, and in chunks: egress of a GPU, most on an ordered pair, makespan with a unit
    // link for each ordered pair. An all-reduce by ring or all pairs has an egress of 2 (n-1)/n =
    // 1.75 buffers, in one pass n-1 = 7; an all-gather or all-to-all (n-1)/n = .875 (n = 4: .75).
    struct Program
    {
        std::string file;
        CollectiveOperation operation;
        uint32_t ranks;
        uint32_t chunks;
        uint64_t messages;
        uint64_t egress;
        uint64_t link;
        uint64_t makespan;
    };

    constexpr CollectiveOperation GATHER = CollectiveOperation::ALL_GATHER;
    constexpr CollectiveOperation REDUCE = CollectiveOperation::ALL_REDUCE;
    const std::vector<Program> programs{
        {"ncv4-ag_hier_4_LL", GATHER, 4, 16, 48, 12, 8, 8},
        {"ncv4-ag_hier_4_Simple", GATHER, 4, 16, 48, 12, 8, 8},
        {"ndv4-a2a2ll", CollectiveOperation::ALL_TO_ALL, 8, 16, 112, 14, 2, 2},
        {"ndv4-ag-1m", GATHER, 8, 32, 224, 28, 4, 4},
        {"ndv4-ag-2m", GATHER, 8, 32, 224, 28, 4, 4},
        {"ndv4-ag-4m", GATHER, 8, 32, 224, 28, 4, 4},
        {"ndv4-ag-8m", GATHER, 8, 32, 224, 28, 4, 4},
        {"ndv4-ag-16m", GATHER, 8, 32, 224, 28, 4, 4},
        {"ndv4-ag-32m-1g", GATHER, 8, 256, 1792, 224, 224, 224},
        {"ndv4-ap-1pass", REDUCE, 8, 32, 224, 224, 32, 32},
        {"ndv4-ap2ll", REDUCE, 8, 128, 224, 224, 32, 32},
        {"ndv4-r48ll", REDUCE, 8, 64, 896, 112, 112, 112}};
    const std::filesystem::path folder = GetSharedData("msccl");
    if (!std::filesystem::is_directory(folder))
    {
        GTEST_SKIP() << folder << " is not there";
    }
    for (const Program& expected : programs)
    {
        Diagnostics diagnostics;
        const Imported imported =
            Import(MscclReader(diagnostics)
                       .ReadFile((folder / (std::string(expected.file) + ".xml")).string()),
                   diagnostics);
        ASSERT_TRUE(imported.schedule) << imported.messages;
        CollectiveSchedule schedule = *imported.schedule;
        EXPECT_EQ(schedule.operation, expected.operation);
        EXPECT_EQ(schedule.ranks, expected.ranks) << expected.file;
        EXPECT_EQ(schedule.chunks, expected.chunks) << expected.file;
        const CollectiveFigures figures = CollectiveFigures::Make(schedule);
        EXPECT_EQ(figures.messages, expected.messages) << expected.file;
        EXPECT_EQ(figures.leastEgress, expected.egress) << expected.file;
        EXPECT_EQ(figures.mostEgress, expected.egress) << expected.file;
        EXPECT_EQ(figures.mostOnLink, expected.link) << expected.file;
        EXPECT_EQ(figures.makespan, expected.makespan) << expected.file;

        // The same through a communicator, 1000 B a chunk; LL doubles what is on the wire.
        const CollectiveProtocol protocol = imported.program->protocol;
        EXPECT_EQ(schedule.wireNumerator,
                  protocol == CollectiveProtocol::LL      ? 2u
                  : protocol == CollectiveProtocol::LL128 ? 16u
                                                          : 1u);
        schedule.wireNumerator = schedule.wireDenominator = 1;
        const uint64_t bytes = expected.chunks * 1000;
        const UnitLinkRun run(schedule, bytes);
        EXPECT_EQ(run.GetEnd(), static_cast<int64_t>(expected.makespan) * 1000) << expected.file;
        EXPECT_EQ(run.GetMaxLinkBytes(), expected.link * 1000) << expected.file;
        for (uint64_t egress : GetEgress(schedule, bytes))
        {
            EXPECT_EQ(egress, expected.egress * 1000) << expected.file;
        }

        // Export and import give the same schedule and the same file again.
        const std::string xml = MscclExporter(*imported.schedule).Export().ToXml();
        const Imported again = ImportText(xml);
        ASSERT_TRUE(again.schedule) << again.messages;
        EXPECT_TRUE(*again.schedule == *imported.schedule) << expected.file;
        EXPECT_EQ(MscclExporter(*again.schedule).Export().ToXml(), xml);
    }
}

TEST(MscclTest, AlgorithmIsForWhatItsFileIsFor)
{
    const ScenarioFolder folder;
    const std::string file = folder.Write(
        "test.xml",
        MakeText(
            "nchunksperloop=\"2\" coll=\"allreduce\" inplace=\"1\" minBytes=\"8\" maxBytes=\"64\"",
            Block(0,
                  1,
                  1,
                  0,
                  {Step("s", "i", 0, "i", 0),
                   Step("rrcs", "i", 1, "i", 1),
                   Step("r", "i", 0, "i", 0)}),
            RING_SECOND));
    const Ptr<CollectiveAlgorithm> msccl = CollectiveAlgorithm::Create("Msccl");
    const auto reason = [&msccl](CollectiveOperation operation, uint64_t bytes, uint32_t ranks) {
        return msccl->GetUnsupportedReason({operation, bytes, 0, {}}, MakeEvenLayout(ranks, 1, 1));
    };
    constexpr CollectiveOperation SUM = CollectiveOperation::ALL_REDUCE;
    EXPECT_EQ(reason(SUM, 8, 2), "Msccl needs a File");
    msccl->SetAttribute("File", StringValue("none.xml"));
    EXPECT_EQ(reason(SUM, 8, 2), "none.xml: no such file");
    msccl->SetAttribute("File", StringValue(file));
    EXPECT_EQ(reason(SUM, 8, 2), "");
    EXPECT_EQ(reason(SUM, 8, 3), file + " is for 2 ranks, not 3");
    EXPECT_EQ(reason(SUM, 65, 2), file + " is for 8 to 64 B, not 65");
    EXPECT_EQ(reason(CollectiveOperation::ALL_GATHER, 8, 2),
              file + " is for all-reduce, not all-gather");
    msccl->SetAttribute("Fallback", StringValue("Ring"));
    EXPECT_EQ(reason(SUM, 8, 3), "");
    EXPECT_EQ(reason(CollectiveOperation::ALL_TO_ALL, 8, 2),
              file + " is for all-reduce, not all-to-all; Ring cannot do all-to-all");
    EXPECT_EQ(msccl->Build({SUM, 8, 0, {}}, MakeEvenLayout(2, 1, 1), 1).algorithm, "test");
    EXPECT_EQ(msccl->Build({SUM, 65, 0, {}}, MakeEvenLayout(2, 1, 1), 1).algorithm, "Ring");
    msccl->SetAttribute("CheckSize", BooleanValue(false));
    EXPECT_EQ(msccl->Build({SUM, 65, 0, {}}, MakeEvenLayout(2, 1, 1), 1).algorithm, "test");
    EXPECT_EQ(GetRefusal("ns3::MscclCollective", "Fallback", "Rind").substr(0, 48),
              "unknown algorithm \"Rind\", did you mean \"Ring\"? V");
    msccl->SetAttribute("Fallback", StringValue("Msccl"));
    EXPECT_EQ(reason(SUM, 8, 3), "no fallback is called Msccl");
}
