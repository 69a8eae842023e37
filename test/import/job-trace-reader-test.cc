/* SPDX-License-Identifier: GPL-2.0-only */

// Cluster job traces as jobs of a scenario. Input that the readers reject is in test/invalid.

#include "../../helper/app/scenario-runner.h"
#include "../../model/import/job-trace-reader.h"
#include "../../model/workload/program/training-program-builder.h"
#include "../fixture/scenario-fixture.h"
#include "../fixture/shared-data.h"

#include <set>

using namespace ns3;

namespace
{

const char* const HEAD =
    "schema: gpu-fabric/1\ntopology: {type: Star, Hosts: 28, GpusPerHost: 4}\n";
const char* const MURI =
    "job_id,num_gpu,submit_time,iterations,model_name,batch_size,duration,interval,"
    "iteration_time,resource_time_0,resource_time_1,resource_time_2,priority\n";

/// The check of the program itself.
std::string
Judge(const JobSpec& job, std::string& key)
{
    std::vector<ProgramFault> faults;
    TrainingProgramBuilder::Build(job, job.gpus, faults);
    key = faults.empty() ? key : faults[0].key;
    return faults.empty() ? "" : faults[0].what;
}

ReadResult
ReadTrace(const std::string& jobs, const std::string& trace, const std::string& workers = "")
{
    const ScenarioFolder folder;
    folder.Write("trace", trace);
    folder.Write("workers", workers);
    folder.Write("a.yaml", HEAD + ("jobs: {file: trace, " + jobs + "}\n"));
    return ReadScenario(folder, "a.yaml", Judge);
}

} // namespace

TEST(JobTraceReaderTest, MuriGivesArrivalIterationsAndMeasuredComputeTime)
{
    const ReadResult result =
        ReadTrace("format: Muri, models: {gpt2: gpt2-small, a2c: {gradient-bytes: 7MB}}",
                  std::string(MURI) + "0,8,1000,10956,gpt2,4,1,1,437,0.6,419,49,0\n"
                                      "1,16,2500.5,20,a2c,64,1,1,555,502,14,0.4,1\n"
                                      "\n"
                                      "2,1,2500.5,7,vgg-16,16,1,1,107,117,68,0,0\n");
    ASSERT_TRUE(result.scenario) << result.messages;
    const std::vector<JobSpec>& jobs = result.scenario->jobs;
    ASSERT_EQ(jobs.size(), 3U);
    EXPECT_EQ(jobs[0].name, "job-0");
    EXPECT_EQ(jobs[0].gpus, 8U);
    EXPECT_EQ(jobs[0].arrival.low.GetPicoSeconds(), 0); // from the first submission on
    EXPECT_EQ(jobs[0].iterations, 10956U);
    EXPECT_EQ(jobs[0].model, "gpt2-small");
    EXPECT_EQ(jobs[0].label, "gpt2");
    EXPECT_EQ(jobs[0].batchPerGpu, 4U);
    EXPECT_EQ(jobs[0].overlap, GradientOverlap::NONE);
    // The iteration time without that of the network: 437 ms - 49 ms.
    EXPECT_EQ(jobs[0].compute, MilliSeconds(388));
    EXPECT_EQ(jobs[1].arrival.low.GetPicoSeconds(), 1'500'500'000'000); // 2500.5 ms - 1000 ms
    ASSERT_EQ(jobs[1].iteration.size(), 2U);
    EXPECT_EQ(jobs[1].iteration[0].duration.GetPicoSeconds(), 554'600'000'000); // 555 ms - 0.4 ms
    EXPECT_EQ(jobs[1].iteration[1].kind, ProgramStepKind::ALL_REDUCE);
    EXPECT_EQ(jobs[1].iteration[1].bytes.Get(), 7'000'000U);
    EXPECT_EQ(jobs[2].model, "vgg-16"); // ours by its name
    EXPECT_EQ(jobs[2].compute, MilliSeconds(107));
    EXPECT_NE(jobs[0].program, jobs[1].program);
}

TEST(JobTraceReaderTest, FirstAndTimeScale)
{
    // Not in order of submission, as Philly's log.
    const ReadResult result =
        ReadTrace("format: Muri, first: 2, time-scale: 1/10, name: t, gpus-per-host: 2, "
                  "scale: 1/8, models: {default: bert-large}",
                  std::string(MURI) + "5,8,9000,30,x,4,1,1,100,1,1,50,0\n"
                                      "6,8,1000,39,y,4,1,1,100,1,1,50,0\n"
                                      "7,1,3000,5,x,4,1,1,100,1,1,0,0\n");
    ASSERT_TRUE(result.scenario) << result.messages;
    const std::vector<JobSpec>& jobs = result.scenario->jobs;
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(jobs[0].name, "t-6");
    EXPECT_EQ(jobs[0].iterations, 3U); // 39 / 10
    EXPECT_EQ(jobs[0].gpusPerHost, 2U);
    EXPECT_EQ(jobs[0].scale.denominator, 8U);
    EXPECT_EQ(jobs[1].name, "t-7");
    EXPECT_EQ(jobs[1].gpusPerHost, 1U);                               // it has no more
    EXPECT_EQ(jobs[1].iterations, 1U);                                // 5 / 10, but at least one
    EXPECT_EQ(jobs[1].arrival.low.GetPicoSeconds(), 200'000'000'000); // (3000 - 1000) ms / 10
    EXPECT_EQ(jobs[1].compute, MilliSeconds(100));                    // not scaled
}

TEST(JobTraceReaderTest, WhatComesAfterTheFirstIsNotReadOfATraceInOrder)
{
    const std::string rows = std::string(MURI) + "0,8,0,10,m,4,1,1,437,1,1,49,0\n"
                                                 "1,8,5,10,m,4,1,1,437,1,1,49,0\n"
                                                 "2,8,7,10,m,4,1,1,nonsense,1,1,49,0\n";
    const std::string keys = "format: Muri, models: {m: bert-large}, first: ";
    const ReadResult two = ReadTrace(keys + "2", rows);
    ASSERT_TRUE(two.scenario) << two.messages;
    EXPECT_EQ(two.scenario->jobs.size(), 2U);
    EXPECT_FALSE(ReadTrace(keys + "3", rows).scenario);
    // Not in order: a later row might be the first.
    const std::string mixed = std::string(MURI) + "0,8,6,10,m,4,1,1,437,1,1,49,0\n"
                                                  "1,8,5,10,m,4,1,1,437,1,1,49,0\n"
                                                  "2,8,4,10,m,4,1,1,437,1,1,49,0\n";
    const ReadResult last = ReadTrace(keys + "2", mixed);
    ASSERT_TRUE(last.scenario) << last.messages;
    EXPECT_EQ(last.scenario->jobs[0].name, "job-2");
}

TEST(JobTraceReaderTest, TimesSinceALongPastOrigin)
{
    // 212 days, 40 years and 290 years in milliseconds; the jobs follow each other by 100 s.
    for (const std::string origin : {"18316800000", "1262304000000", "9145440000000"})
    {
        const int64_t ms = std::stoll(origin);
        const ReadResult result =
            ReadTrace("format: Muri, models: {m: bert-large}",
                      std::string(MURI) + "0,8," + origin + ",10,m,4,1,1,437,1,1,49,0\n1,8," +
                          std::to_string(ms + 100'000) + ".25,10,m,4,1,1,437,1,1,49,0\n");
        ASSERT_TRUE(result.scenario) << origin << "\n" << result.messages;
        EXPECT_EQ(result.scenario->jobs[0].arrival.low.GetPicoSeconds(), 0);
        EXPECT_EQ(result.scenario->jobs[1].arrival.low.GetPicoSeconds(), 100'000'250'000'000);
    }
    // 212 days between two jobs: too long, unless scaled.
    const std::string rows = std::string(MURI) + "0,8,0,10,m,4,1,1,437,1,1,49,0\n"
                                                 "1,8,18316800000,1000,m,4,1,1,437,1,1,49,0\n";
    EXPECT_NE(ReadTrace("format: Muri, models: {m: bert-large}", rows)
                  .messages.find("beyond the longest simulated time"),
              std::string::npos);
    const ReadResult scaled =
        ReadTrace("format: Muri, time-scale: 1/10, models: {m: bert-large}", rows);
    ASSERT_TRUE(scaled.scenario) << scaled.messages;
    EXPECT_EQ(scaled.scenario->jobs[1].arrival.low.GetPicoSeconds(), 1'831'680'000'000'000'000);
}

TEST(JobTraceReaderTest, UnknownModelsAreListedAtOnceEachWithItsLine)
{
    const std::string rows = std::string(MURI) + "0,8,0,10,a2c,4,1,1,437,1,1,49,0\n"
                                                 "1,8,1,10,dqn,4,1,1,437,1,1,49,0\n"
                                                 "2,8,2,10,a2c,4,1,1,437,1,1,49,0\n"
                                                 "3,8,3,10,vgg-16,4,1,1,437,1,1,49,0\n";
    const ReadResult result = ReadTrace("format: Muri", rows);
    EXPECT_FALSE(result.scenario);
    EXPECT_NE(result.messages.find("trace:2:10: unknown model \"a2c\""), std::string::npos)
        << result.messages;
    EXPECT_NE(result.messages.find("trace:3:10: unknown model \"dqn\""), std::string::npos);
    EXPECT_NE(result.messages.find("models: {dqn: bert-large}, or {gradient-bytes: 100MB}"),
              std::string::npos);
    EXPECT_EQ(result.messages.find("trace:4"), std::string::npos); // said once
    EXPECT_EQ(result.messages.find("trace:5"), std::string::npos);
    // One mapping for all others; our own names come first.
    const ReadResult mapped =
        ReadTrace("format: Muri, models: {default: {gradient-bytes: 1MB, flop-per-gpu: 1e9}}",
                  rows);
    ASSERT_TRUE(mapped.scenario) << mapped.messages;
    EXPECT_EQ(mapped.scenario->jobs[1].iteration.size(), 2U);
    EXPECT_EQ(mapped.scenario->jobs[1].flopPerIteration, 8e9);
    EXPECT_EQ(mapped.scenario->jobs[0].program, mapped.scenario->jobs[2].program);
    EXPECT_EQ(mapped.scenario->jobs[3].model, "vgg-16");
    // A mapping to what we do not have is an error as well.
    const ReadResult wrong = ReadTrace("format: Muri, models: {default: bert-huge}", rows);
    EXPECT_NE(wrong.messages.find("unknown model \"bert-huge\""), std::string::npos);
}

TEST(JobTraceReaderTest, TheTextOfAScenarioChangesWithItsTrace)
{
    const std::string row = "0,8,0,10,m,4,1,1,437,1,1,49,0\n";
    const std::string keys = "format: Muri, models: {m: bert-large}";
    const ReadResult one = ReadTrace(keys, MURI + row);
    const ReadResult two = ReadTrace(keys, MURI + row + "1" + row.substr(1));
    const ReadResult same = ReadTrace(keys, MURI + row);
    ASSERT_TRUE(one.scenario && two.scenario && same.scenario);
    const auto cut = [](const std::string& text) { return text.substr(text.rfind("bytes")); };
    EXPECT_NE(cut(one.scenario->text), cut(two.scenario->text));
    EXPECT_EQ(cut(one.scenario->text), cut(same.scenario->text));
}

TEST(JobTraceReaderTest, PhillyJobsRunForTheSumOfTheirAttempts)
{
    const std::string log = R"([
 {"status": "Killed", "vc": "v", "jobid": "application_2", "user": "u", "attempts": [
   {"start_time": "2017-12-31 23:59:00", "end_time": "2018-01-01 00:01:00", "detail":
     [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}, {"ip": "m2", "gpus": ["gpu0", "gpu1"]}]},
   {"start_time": "2018-01-01 01:00:00", "end_time": "2018-01-01 01:00:30", "detail": []}],
  "submitted_time": "2017-12-31 23:58:00"},
 {"status": "Pass", "jobid": "application_1", "attempts": [
   {"start_time": "2017-12-31 23:00:00", "end_time": "2017-12-31 23:30:00",
    "detail": [{"ip": "\"m3]", "gpus": ["gpu7"]}]}],
  "submitted_time": "2017-12-31 22:58:00"},
 {"status": "Killed", "jobid": "application_3", "attempts": [], "submitted_time": "2018-01-01 00:00:00"},
 {"status": "Pass", "jobid": "application_4", "attempts": [
   {"start_time": "2018-01-01 00:00:00", "end_time": null,
    "detail": [{"ip": "m3", "gpus": ["gpu7"]}]}], "submitted_time": "2018-01-01 00:00:00"}
])";
    const ReadResult result = ReadTrace("format: Philly, time-scale: 1/100, "
                                        "models: {default: bert-large}",
                                        log);
    ASSERT_TRUE(result.scenario) << result.messages;
    const std::vector<JobSpec>& jobs = result.scenario->jobs;
    ASSERT_EQ(jobs.size(), 2U); // the others have not run
    EXPECT_NE(
        result.messages.find("2 of 4 jobs are left out: 1 never started, 1 without the start or "
                             "the end of an attempt"),
        std::string::npos)
        << result.messages;
    EXPECT_EQ(jobs[0].name, "application_1");
    EXPECT_EQ(jobs[0].gpus, 1U);
    EXPECT_EQ(jobs[0].duration.GetPicoSeconds(), 18'000'000'000'000); // 30 min / 100
    EXPECT_EQ(jobs[0].iterations, 0U);
    EXPECT_EQ(jobs[1].name, "application_2");
    EXPECT_EQ(jobs[1].gpus, 4U);
    EXPECT_EQ(jobs[1].duration.GetPicoSeconds(), 1'500'000'000'000);     // (120 + 30) s / 100
    EXPECT_EQ(jobs[1].arrival.low.GetPicoSeconds(), 36'000'000'000'000); // an hour / 100
}

TEST(JobTraceReaderTest, LingjunJobsHaveTheGpusOfAllTheirWorkers)
{
    const ReadResult result = ReadTrace(
        "format: Lingjun, workers: workers, time-scale: 1/60, models: {default: bert-large}",
        ",id,job_name,model,status,reason,gmt_job_submitted,gmt_job_running,gmt_job_finished\n"
        "0,1,big,llama,Succeeded,,2023/7/15 02:19,2023/7/15 02:29,2023/7/15 03:29\n"
        "1,2,lost,llama,Failed,\"a, b\",2023/7/15 02:19,2023/7/15 02:29,2023/7/15 03:29\n"
        "2,3,cpu,llama,Succeeded,,2023/7/15 02:19,2023/7/15 02:29,2023/7/15 03:29\n"
        "3,4,never,llama,Succeeded,,2023/7/15 02:19,,\n"
        "4,5,small,gpt-7b,Succeeded,,2023/7/15 02:20,2023/7/15 02:20,2023/7/15 02:21\n",
        "id,job_name,worker_name,replica_type,host_ip,RES\n"
        "1,big,w0,master,h,\"{\"\"nvidia.com/gpu\"\": \"\"8\"\", \"\"cpu\"\": 96}\"\n"
        "2,big,w1,worker,h,\"{\"\"nvidia.com/gpu\"\": 8}\"\n"
        "3,lost,w0,worker,h,\"{\"\"nvidia.com/gpu\"\": 8}\"\n"
        "4,cpu,w0,worker,h,\"{\"\"cpu\"\": 8}\"\n"
        "5,small,w0,worker,h,\"{\"\"nvidia.com/gpu\"\": 1}\"\n");
    ASSERT_TRUE(result.scenario) << result.messages;
    const std::vector<JobSpec>& jobs = result.scenario->jobs;
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_NE(
        result.messages.find("3 of 5 jobs are left out: 1 did not succeed, 1 that did not run, "
                             "1 without GPUs"),
        std::string::npos)
        << result.messages;
    EXPECT_EQ(jobs[0].name, "big");
    EXPECT_EQ(jobs[0].gpus, 16U);
    EXPECT_EQ(jobs[0].duration.GetPicoSeconds(), 60'000'000'000'000); // an hour / 60
    EXPECT_EQ(jobs[1].name, "small");
    EXPECT_EQ(jobs[1].label, "gpt-7b");
    EXPECT_EQ(jobs[1].arrival.low.GetPicoSeconds(), 1'000'000'000'000);
}

TEST(JobTraceReaderTest, DatesCountSecondsSince1970)
{
    EXPECT_EQ(JobTraceReader::ParseDate("1970-01-01 00:00:00"), 0);
    EXPECT_EQ(JobTraceReader::ParseDate("2000-02-29 12:34:56"), 951'827'696); // date -u -d
    EXPECT_EQ(JobTraceReader::ParseDate("2000-03-01 00:00:00"), 951'868'800);
    EXPECT_EQ(JobTraceReader::ParseDate("2017-10-09T07:02:37"), 1'507'532'557);
    EXPECT_EQ(JobTraceReader::ParseDate("2023/7/15 02:19"), 1'689'387'540);
    for (const char* wrong : {"",
                              "2017-10-09",
                              "2017-13-09 07:02:37",
                              "2017-02-29 07:02:37",
                              "2017-10-09 24:02:37",
                              "2017-10-09 07:02:37 PST",
                              "20171-10-09 07:02:37",
                              "-10-09 07:02:37",
                              "1969-10-09 07:02:37"})
    {
        EXPECT_EQ(JobTraceReader::ParseDate(wrong), -1) << wrong;
    }
}

TEST(JobTraceReaderTest, TracesOfTheMuriSimulator)
{
    const std::filesystem::path folder = GetSharedData("muri");
    if (!std::filesystem::exists(folder))
    {
        GTEST_SKIP() << "no traces";
    }
    for (const auto& [name, count, gpus] :
         {std::make_tuple("cluster_trace.csv", 400, 32), std::make_tuple("trace3.csv", 992, 32)})
    {
        const ScenarioFolder work;
        work.Write(
            "a.yaml",
            HEAD + ("jobs: {file: " + (folder / name).string() +
                    ", format: Muri, time-scale: 1/10, models: {bert: bert-base, gpt2: gpt2-small, "
                    "vgg16: vgg-16, vgg19: vgg-19, default: {gradient-bytes: 45MB}}}\n"));
        const ReadResult result = ReadScenario(work, "a.yaml", Judge);
        ASSERT_TRUE(result.scenario) << result.messages.substr(0, 1000);
        EXPECT_EQ(result.scenario->jobs.size(), static_cast<std::size_t>(count));
        std::set<uint32_t> programs;
        uint32_t most = 0;
        for (const JobSpec& job : result.scenario->jobs)
        {
            programs.insert(job.program);
            most = std::max(most, job.gpus);
        }
        EXPECT_EQ(most, static_cast<uint32_t>(gpus));
        EXPECT_LE(programs.size(), 50U); // 8 models on 1, 2, 4, 8, 16, 32 GPUs
    }
}

TEST(JobTraceReaderTest, ATableWithAnyColumnsIsATrace)
{
    const std::string keys =
        "format: Csv, models: {default: bert-large, small: bert-base}, columns: "
        "{arrival: when, gpus: n, duration: \"how long\", model: m, id: name, "
        "batch: b, unit: ms}";
    const ReadResult result = ReadTrace(keys,
                                        "m,b,when,other,n,how long,name\n"
                                        "small,4,1000,x,8,2500,a\n"
                                        "\"la,rge\",8,3000.5,,2,01:02:03,7\n"
                                        "large,8,5000,,0,10,b\n"
                                        "large,8,5000,,,10,c\n"
                                        "large,8,None,,1,10,d\n"
                                        "large,8,6000,,1,,e\n"
                                        "large,8,6000,,1,0,f\n");
    ASSERT_TRUE(result.scenario) << result.messages;
    const std::vector<JobSpec>& jobs = result.scenario->jobs;
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(jobs[0].name, "a");
    EXPECT_EQ(jobs[0].model, "bert-base");
    EXPECT_EQ(jobs[0].batchPerGpu, 4U);
    EXPECT_EQ(jobs[0].duration.GetPicoSeconds(), 2'500'000'000'000);
    EXPECT_EQ(jobs[1].name, "job-7");
    EXPECT_EQ(jobs[1].gpus, 2U);
    EXPECT_EQ(jobs[1].arrival.low.GetPicoSeconds(), 2'000'500'000'000);
    EXPECT_EQ(jobs[1].duration.GetPicoSeconds(), 3723'000'000'000'000);
    EXPECT_NE(result.messages.find("2 that did not run"), std::string::npos) << result.messages;
    EXPECT_NE(result.messages.find("2 without GPUs"), std::string::npos) << result.messages;
    EXPECT_NE(result.messages.find("1 without a time of submission"), std::string::npos)
        << result.messages;
}

TEST(JobTraceReaderTest, ColumnsOfPublicTracesAreKnown)
{
    const auto read = [](const std::string& preset, const std::string& table) {
        return ReadTrace("format: Csv, models: {default: bert-large}, columns: " + preset, table);
    };
    const std::vector<std::pair<std::string, std::string>> tables{
        {"Helios",
         "job_id,user,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,"
         "queue\n"
         "11,u1,8,32,1,COMPLETED,2020-04-01 00:08:28,2020-04-01 00:08:29,2020-04-01 "
         "00:08:49,20,1\n"
         "12,u1,1,4,1,FAILED,2020-04-01 00:09:28,2020-04-01 00:09:29,2020-04-01 00:09:30,1,1\n"},
        {"Acme",
         "job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,"
         "queue,gpu_time\n"
         "11,u1,1,8,32,Pretrain,COMPLETED,2023-05-01 00:08:28+08:00,2023-05-01 "
         "00:08:29+08:00,2023-05-01 00:08:49+08:00,20.0,1,160\n"
         "12,u1,1,1,4,Other,FAILED,2023-05-01 00:09:28+08:00,x,y,1.0,1,1\n"},
        {"Slurm",
         "JobID|Submit|Elapsed|NGPUS|State\n"
         "11|2024-02-28T23:59:30|00:00:20|8|COMPLETED\n"
         "12|2024-02-29T00:00:30|00:00:01|1|FAILED\n"}};
    for (const auto& [preset, table] : tables)
    {
        const ReadResult result = read(preset, table);
        ASSERT_TRUE(result.scenario) << preset << result.messages;
        const std::vector<JobSpec>& jobs = result.scenario->jobs;
        ASSERT_EQ(jobs.size(), 2U) << preset;
        EXPECT_EQ(jobs[0].name, "job-11");
        EXPECT_EQ(jobs[0].gpus, 8U);
        EXPECT_EQ(jobs[0].duration.GetPicoSeconds(), 20'000'000'000'000);
        EXPECT_EQ(jobs[1].arrival.low.GetPicoSeconds(), 60'000'000'000'000); // a minute later
    }
    // Slurm's days.
    const ReadResult days =
        read("Slurm", "JobID|Submit|Elapsed|NGPUS\n1|2024-02-28T23:59:30|1-02:03:04|8\n");
    ASSERT_TRUE(days.scenario) << days.messages;
    EXPECT_EQ(days.scenario->jobs[0].duration.GetPicoSeconds(),
              (86'400 + 7384) * 1'000'000'000'000);
}

TEST(JobTraceReaderTest, WrongColumnsAndCellsAreSaid)
{
    const auto expect =
        [](const std::string& columns, const std::string& table, const std::string& message) {
            const ReadResult result =
                ReadTrace("format: Csv, models: {default: bert-large}, columns: " + columns, table);
            EXPECT_FALSE(result.scenario) << message;
            EXPECT_NE(result.messages.find(message), std::string::npos) << result.messages;
        };
    const std::string known = "{arrival: a, gpus: g, duration: d}";
    expect(known,
           "a,g,x\n1,1,1\n",
           "trace:1:1: the first line must name the columns; missing: d; "
           "there are: a, g, x");
    expect("{arrival: a, gpus: g}", "a,g\n1,1\n", "wants duration or iterations");
    expect("{arrival: a, duration: d}", "a,d\n1,1\n", "gpus is missing");
    expect("Philly", "a,g,d\n", "unknown trace \"Philly\"");
    expect("{arrival: a, gpus: g, duration: d, unit: min}", "a,g,d\n1,1,1\n", "\"min\"");
    expect(known,
           "a,g,d\n2020-13-01 00:00:00,1,1\n",
           "trace:2:1: a: \"2020-13-01 00:00:00\" is "
           "neither a date");
    expect(known, "a,g,d\n1,1,1:2:3:4\n", "trace:2:5: d: \"1:2:3:4\" is neither a duration");
    expect(known, "a,g,d\n1,1,1:x\n", "is neither a duration");
    expect(known, "a,g,d\n1,x,1\n", "g");
    const ReadResult none =
        ReadTrace("format: Csv, models: {default: bert-large}", "a,g,d\n1,1,1\n");
    EXPECT_NE(none.messages.find("columns is missing"), std::string::npos) << none.messages;
    const ReadResult other =
        ReadTrace("format: Muri, models: {default: bert-large}, columns: " + known,
                  "a,g,d\n1,1,1\n");
    EXPECT_NE(other.messages.find("format Muri has columns of its own"), std::string::npos)
        << other.messages;
}
