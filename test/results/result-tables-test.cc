/* SPDX-License-Identifier: GPL-2.0-only */
#include "../../model/results/result-database.h"
#include "../../model/results/result-reference.h"
#include "../../model/results/result-views.h"
#include "../../model/results/row-reader.h"
#include "../fixture/results-fixture.h"

#include <map>
#include <set>
#include <tuple>

namespace ns3
{
namespace tests
{

/**
 * Every member of the rows of every table gets a distinct value, which must be in the database
 * under the name of its column.
 */
class ResultTablesTest : public ResultsFixture
{
  protected:
    void SetUp() override
    {
        ResultsFixture::SetUp();
        m_database = std::make_unique<ResultDatabase>(Path("out.db"));
    }

    /// A value that no other column of the table has: 11 for the first column, 12 for the next, ...
    /// (they fit in a byte). Enumerations and flags take what they can.
    static ResultValue MakeValue(const ColumnSpec& column, int64_t number, std::string& text)
    {
        if (column.name == "extrapolated")
        {
            return int64_t{1};
        }
        if (column.type == ColumnType::INTEGER)
        {
            return number;
        }
        if (column.type == ColumnType::REAL)
        {
            return static_cast<double>(number) + 0.5;
        }
        text = column.name == "kind" ? "peer_wait" : "text of " + column.name;
        return std::string_view(text);
    }

    /// What a query shows of a value.
    static std::string Show(const ResultValue& value)
    {
        if (const auto* integer = std::get_if<int64_t>(&value))
        {
            return std::to_string(*integer);
        }
        if (const auto* number = std::get_if<double>(&value))
        {
            std::ostringstream text;
            text << *number;
            return text.str();
        }
        return value.index() == 0 ? "NULL" : std::string(std::get<std::string_view>(value));
    }

    template <class Row>
    void Check(const ResultTable<Row>& table)
    {
        const TableSpec& spec = table.GetSpec();
        SCOPED_TRACE(spec.name);
        std::vector<std::string> texts(spec.columns.size());
        std::vector<ResultValue> values(spec.columns.size());
        values[0] = int64_t{10};
        for (size_t i = 1; i < values.size(); ++i)
        {
            values[i] = MakeValue(spec.columns[i], 10 + static_cast<int64_t>(i), texts[i]);
        }
        m_database->Insert(table, 10, table.MakeRow(values));
        for (size_t i = 0; i < values.size(); ++i)
        {
            const std::string& name = spec.columns[i].name;
            EXPECT_EQ(Query(m_database->GetHandle(), "SELECT \"" + name + "\" FROM " + spec.name),
                      Rows{Show(values[i])})
                << name;
        }
        m_checked.insert(&spec);
    }

    std::unique_ptr<ResultDatabase> m_database;
    std::set<const TableSpec*> m_checked;
};

TEST_F(ResultTablesTest, EachMemberComesOutUnderItsName)
{
    Check(GetResultTable<RunRow>());
    Check(GetResultTable<ParameterRow>());
    Check(GetResultTable<InvariantRow>());
    Check(GetResultTable<ImportSummaryRow>());
    Check(GetResultTable<NodeRow>());
    Check(GetResultTable<LinkRow>());
    Check(GetResultTable<JobRow>());
    Check(GetResultTable<JobEventRow>());
    Check(GetResultTable<GpuAllocationRecord>());
    Check(GetResultTable<GpuFailureRecord>());
    Check(GetResultTable<IterationRow>());
    Check(GetResultTable<SpanRecord>());
    Check(GetResultTable<JobUtilizationRow>());
    Check(GetResultTable<JobWindowRow>());
    Check(GetResultTable<CollectiveRecord>());
    Check(GetResultTable<DecisionRecord>());
    Check(GetResultTable<QueuePairRow>());
    Check(GetResultTable<QueuePairChangeRow>());
    Check(GetResultTable<TransferRow>());
    Check(GetResultTable<JobLinkCounters>());
    Check(GetResultTable<LinkSampleRow>());
    Check(GetResultTable<LinkWindowRow>());
    Check(GetResultTable<BottleneckRow>());
    Check(GetResultTable<PauseRecord>());
    Check(GetResultTable<FabricEventRow>());
    Check(GetResultTable<CampaignRow>());
    // None has been left out.
    const std::set<const TableSpec*> all(GetResultTables().begin(), GetResultTables().end());
    EXPECT_EQ(m_checked, all);
}

TEST_F(ResultTablesTest, ColumnsAreNamedAfterTheMembersThatTheyAreBoundTo)
{
    EXPECT_EQ(GetMemberName<&SpanRecord::startPs>(), "startPs");
    EXPECT_EQ(GetMemberName<&TransferRow::startPs>(), "startPs"); // of the base
    EXPECT_EQ(MakeColumnName("startPs"), "start_ps");
    EXPECT_EQ(MakeColumnName("oldUdpSourcePort"), "old_udp_source_port");
    // All columns that have another name than their member: none else is to be looked at.
    std::set<std::tuple<std::string, std::string, std::string>> renamed;
    for (const TableSpec* table : GetResultTables())
    {
        for (const ColumnSpec& column : table->columns)
        {
            if (column.name != "run" && column.name != MakeColumnName(column.member))
            {
                renamed.emplace(table->name, column.name, column.member);
            }
        }
    }
    const std::set<std::tuple<std::string, std::string, std::string>> expected{
        {"collective", "op", "operation"},
        {"queue_pair", "created_ps", "timePs"},
        {"queue_pair_change", "old", "oldUdpSourcePort"},
        {"queue_pair_change", "new", "newUdpSourcePort"}};
    EXPECT_EQ(renamed, expected);
}

TEST_F(ResultTablesTest, WhatIsNotThereIsNull)
{
    TransferRow transfer;
    m_database->Insert(1, transfer);
    EXPECT_EQ(Query(m_database->GetHandle(),
                    "SELECT job, communicator, collective, step, start_ps, delivered_ps,"
                    " completed_ps FROM transfer"),
              Rows{"NULL|NULL|NULL|NULL|0|NULL|NULL"});
    m_database->Insert(JobRow());
    EXPECT_EQ(Query(m_database->GetHandle(), "SELECT solo_iteration_ps, start_ps FROM job"),
              Rows{"NULL|NULL"});
    // Part of a key, where NULL cannot be.
    JobLinkCounters counters;
    counters.job = NO_ID;
    m_database->Insert(1, counters);
    EXPECT_EQ(Query(m_database->GetHandle(), "SELECT job FROM job_link"), Rows{"-1"});
}

TEST_F(ResultTablesTest, RowsAreReadByTheirDeclaration)
{
    JobRow row;
    row.run = 3;
    row.job = 7;
    row.name = "gpt";
    row.wFlop = 1.5;
    row.commPs = 11;
    m_database->Insert(row);
    const std::vector<JobRow> rows = ReadRows<JobRow>(m_database->GetHandle(), "gpus = 0");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].run, 3U);
    EXPECT_EQ(rows[0].job, 7U);
    EXPECT_EQ(rows[0].name, "gpt");
    EXPECT_EQ(rows[0].wFlop, 1.5);
    EXPECT_EQ(rows[0].commPs, std::optional<int64_t>(11));
    EXPECT_EQ(rows[0].startPs, std::nullopt);
}

// Rows come one by one in the order asked for; a name that is none of the enumeration is an error.
TEST_F(ResultTablesTest, RowsArePassedOneByOne)
{
    m_database->Insert(1, SpanRecord{7, 1, GpuTimeKind::SHIFT, 20, 30});
    m_database->Insert(1, SpanRecord{8, 0, GpuTimeKind::COMPUTE, 10, 40});
    m_database->Insert(2, SpanRecord{9, 0, GpuTimeKind::COMPUTE, 0, 50});
    m_database->Flush();
    SQLite::Database& file = m_database->GetHandle();
    const auto read = [&file] {
        std::vector<std::string> spans;
        ForEachRow<SpanRecord>(file, "run = 1", "gpu, start_ps", [&spans](const SpanRecord& span) {
            spans.push_back(std::to_string(span.job) + " " + std::to_string(span.gpu) + " " +
                            ToName(span.kind) + " " + std::to_string(span.startPs) + " " +
                            std::to_string(span.endPs));
        });
        return spans;
    };
    EXPECT_EQ(read(), (Rows{"8 0 compute 10 40", "7 1 shift 20 30"}));
    file.exec("UPDATE span SET kind = 'idle' WHERE gpu = 1");
    EXPECT_THROW(read(), std::runtime_error);
}

TEST_F(ResultTablesTest, ViewsHaveTheColumnsThatAreDocumented)
{
    std::set<std::string> declared;
    for (const ViewSpec& view : GetResultViews())
    {
        std::vector<std::string> names;
        for (const ViewColumn& column : view.columns)
        {
            names.push_back(column.name);
        }
        EXPECT_EQ(Query(m_database->GetHandle(),
                        "SELECT name FROM pragma_table_info('" + view.name + "')"),
                  names)
            << view.name;
        declared.insert(view.name);
    }
    const Rows views = Query(m_database->GetHandle(),
                             "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name");
    EXPECT_EQ(views, Rows(declared.begin(), declared.end()));
}

TEST_F(ResultTablesTest, ReferenceIsUpToDate)
{
    std::ostringstream reference;
    WriteResultReference(reference);
    EXPECT_TRUE(reference.str() == ReadBytes(NS_TEST_SOURCEDIR "/../doc/results-reference.rst"))
        << "take over what gpu-fabric-run --print-results says, but its last section";
}

TEST_F(ResultTablesTest, EveryRecorderDescribesItsTables)
{
    std::ostringstream reference;
    WriteRecorderReference(reference);
    EXPECT_EQ(reference.str().find("Tables of other recorders\n-------------------------\n"), 0U);
    // Those of the built-in recorders are in every database, and not listed again.
    EXPECT_EQ(reference.str().find("ns3::LinkRecorder"), std::string::npos);
}

TEST_F(ResultTablesTest, RecordersAddTables)
{
    const ResultTable<PauseRecord> table("halt",
                                         "pauses once more",
                                         {"link"},
                                         SameKey::REFUSE,
                                         Column<&PauseRecord::link>(""),
                                         Column<&PauseRecord::endPs>("resumed"));
    m_database->AddTable(table.GetSpec());
    m_database->AddTable(table.GetSpec()); // the next run
    m_database->Insert(table, 2, PauseRecord{5, 0, 6, 7, 8});
    EXPECT_EQ(Query(m_database->GetHandle(), "SELECT run, link, end_ps FROM halt"), Rows{"2|5|7"});
    const ResultTable<PauseRecord> other("halt",
                                         "of other columns",
                                         {"link"},
                                         SameKey::REFUSE,
                                         Column<&PauseRecord::link>(""));
    EXPECT_DEATH(m_database->AddTable(other.GetSpec()), "two tables have the name halt");
}

TEST_F(ResultTablesTest, RefusesTablesThatCannotBe)
{
    const auto make = [](const char* name, const std::vector<std::string>& key) {
        ResultTable<PauseRecord>(name,
                                 "",
                                 key,
                                 SameKey::REFUSE,
                                 Column<&PauseRecord::link>(""),
                                 Column<&PauseRecord::causedByLink, NO_ID>(""));
    };
    make("halt", {"link"});
    EXPECT_DEATH(make("halt", {"links"}), "no column links");
    EXPECT_DEATH(make("halt; DROP", {"link"}), "no name of a table");
    EXPECT_DEATH(make("halt", {"caused_by_link"}), "may be NULL");
}

} // namespace tests
} // namespace ns3
