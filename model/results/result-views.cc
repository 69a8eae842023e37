/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-views.h"

#include "analysis-views.h"
#include "campaign-views.h"
#include "result-tables.h"

#include <iterator>
#include <utility>

namespace ns3
{

namespace
{

constexpr const char* JOB = R"sql(
WITH whole AS (
  SELECT run, job, SUM(count) AS iterations FROM iteration GROUP BY run, job
), measured AS (
  SELECT run, job, SUM(ps) * 1.0 / SUM(count) AS iteration_ps
  FROM v_measured_iteration GROUP BY run, job
), mean AS (
  SELECT w.run, w.job, w.iterations, i.iteration_ps
  FROM whole AS w LEFT JOIN measured AS i ON i.run = w.run AND i.job = w.job
)
SELECT j.run AS run,
  j.name AS job,
  j.status AS status,
  j.gpus AS gpus,
  COALESCE(m.iterations, 0) AS iterations,
  m.iteration_ps / 1e9 AS iteration_ms,
  w.compute_ps * 1.0 / NULLIF(w.allocated_ps, 0) AS gpu_utilization,
  w.exposed_ps * 1.0 / NULLIF(w.allocated_ps, 0) AS exposed_fraction,
  m.iteration_ps / NULLIF(j.solo_iteration_ps, 0) AS slowdown,
  NULLIF(j.w_flop, 0) / (NULLIF(j.comm_ps, 0) / 1e12) AS intensity, -- FLOP/s
  (j.end_ps - j.arrival_ps) / 1e12 AS jct_s,
  (j.start_ps - j.arrival_ps) / 1e12 AS wait_s
FROM job AS j
LEFT JOIN mean AS m ON m.run = j.run AND m.job = j.job
LEFT JOIN job_window AS w ON w.run = j.run AND w.job = j.job)sql";

constexpr const char* CLUSTER_UTILIZATION = R"sql(
WITH done AS (
  SELECT w.run AS run, SUM(w.compute_ps) AS compute_ps, SUM(w.allocated_ps) AS allocated_ps,
    CASE WHEN MAX(w.compute_ps > 0 AND j.w_flop = 0) THEN NULL ELSE SUM(w.flops) END
      AS flops                          -- NULL: those of some compute time are unknown
  FROM job_window AS w JOIN job AS j ON j.run = w.run AND j.job = w.job GROUP BY w.run
), gpu AS (
  SELECT run, SUM(gpus) AS gpus FROM node GROUP BY run
)
SELECT r.run AS run,
  d.compute_ps * 1.0 / NULLIF(d.allocated_ps, 0) AS gpu_utilization,
  d.compute_ps * 1.0 / NULLIF(g.gpus * 1.0 * (r.measure_to_ps - r.measure_from_ps), 0)
    AS gpu_utilization_all,
  d.flops / NULLIF(r.peak_flops_per_gpu * g.gpus
    * ((r.measure_to_ps - r.measure_from_ps) / 1e12), 0) AS flop_utilization
FROM run AS r
LEFT JOIN done AS d ON d.run = r.run
LEFT JOIN gpu AS g ON g.run = r.run)sql";

constexpr const char* BOTTLENECK = R"sql(
SELECT b.run AS run,
  l.name AS link,
  COUNT(*) AS jobs,
  SUM(b.done_flop) AS done_flop,        -- U
  SUM(b.carried_flop) AS carried_flop,  -- F
  SUM(b.bound_flop) AS bound_flop,
  SUM(b.note <> '') AS jobs_outside,    -- to which the theorem does not apply
  SUM(b.carried_ps) * 1.0 / NULLIF(r.end_ps, 0) AS busy_fraction
FROM bottleneck AS b
JOIN run AS r ON r.run = b.run
LEFT JOIN link AS l ON l.run = b.run AND l.link = b.link
GROUP BY b.run, b.link)sql";

constexpr const char* TRANSFER = R"sql(
SELECT t.run AS run,
  ROW_NUMBER() OVER (PARTITION BY t.run ORDER BY t.queue_pair, t.message) - 1 AS transfer,
  s.name AS source,
  d.name AS destination,
  t.bytes AS bytes,
  t.priority AS priority,
  t.start_ps / 1e6 AS start_us,
  t.delivered_ps / 1e6 AS delivered_us,
  t.completed_ps / 1e6 AS completed_us,
  t.retransmitted_bytes AS retransmitted_bytes,
  j.name AS job,                        -- NULL: of a plain flow
  t.delivered_bytes AS delivered_bytes
FROM transfer AS t
LEFT JOIN node AS s ON s.run = t.run AND s.node = t.source
LEFT JOIN node AS d ON d.run = t.run AND d.node = t.destination
LEFT JOIN job AS j ON j.run = t.run AND j.job = t.job)sql";

constexpr const char* LINK_UTILIZATION = R"sql(
WITH total AS (
  SELECT run, link, SUM(bytes) AS bytes, SUM(busy_ps) AS busy_ps,
    SUM(marked_frames) AS marked_frames, MAX(paused_ps) AS paused_ps,
    MAX(end_ps - start_ps) AS elapsed_ps
  FROM link_window GROUP BY run, link
)
SELECT l.run AS run,
  l.link AS link,
  l.name AS name,
  l.rate_bps / 1e9 AS rate_gbps,
  COALESCE(t.bytes, 0) AS bytes,
  COALESCE(t.busy_ps * 1.0 / NULLIF(t.elapsed_ps, 0), 0.0) AS busy_fraction,
  COALESCE(t.bytes * 8.0 / NULLIF(l.rate_bps * (t.elapsed_ps / 1e12), 0), 0.0) AS utilization,
  COALESCE(t.marked_frames, 0) AS marked_frames,
  COALESCE(t.paused_ps * 1.0 / NULLIF(t.elapsed_ps, 0), 0.0)
    AS paused_fraction                  -- of the priority paused longest
FROM link AS l LEFT JOIN total AS t ON t.run = l.run AND t.link = l.link)sql";

} // namespace

std::string
ViewSpec::GetCreateStatement() const
{
    // The comment is as long as the help text; SQLite shows it with the statement.
    return "CREATE VIEW " + name + " AS -- " + help + query + ";\n";
}

std::vector<ViewSpec>
GetResultViews()
{
    std::vector<ViewSpec> views{
        {"v_job",
         "A job within the measuring window, jct_s and wait_s excepted. The window lasts by "
         "default from the first instant by which all listed jobs have finished two iterations to "
         "the first instant at which one of them ends, the same for all runs compared.",
         {{"run", ""},
          {"job", "name"},
          {"status", "not arrived, waiting, running, finished, failed"},
          {"gpus", ""},
          {"iterations", "in the whole run"},
          {"iteration_ms",
           "mean of v_measured_iteration, start to start; v_iteration_interval tells how sure it "
           "is"},
          {"gpu_utilization", "compute time over allocated GPU time"},
          {"exposed_fraction", "exposed communication over allocated GPU time"},
          {"slowdown", "iteration time over that of the job alone"},
          {"intensity", "W over t_j [FLOP/s] (Crux); NULL: W or t_j is unknown"},
          {"jct_s", "job completion time: arrival to end"},
          {"wait_s", "arrival to start"}},
         JOB},
        {"v_cluster_utilization",
         "The cluster within the measuring window.",
         {{"run", ""},
          {"gpu_utilization", "compute time over allocated GPU time"},
          {"gpu_utilization_all", "compute time over all GPU time"},
          {"flop_utilization",
           "FLOP done over peak (run.peak_flops_per_gpu); NULL: a job that computes has no FLOP"}},
         CLUSTER_UTILIZATION},
        {"v_bottleneck",
         "Theorem 1 of Crux on the scenario's bottleneck, over the whole run: |U - F| <= sum of W; "
         "job by job in the table bottleneck.",
         {{"run", ""},
          {"link", "name"},
          {"jobs", "that send data on it"},
          {"done_flop", "U"},
          {"carried_flop", "F"},
          {"bound_flop", "how far U and F may lie apart"},
          {"jobs_outside", "to which the theorem does not apply: see bottleneck.note"},
          {"busy_fraction", "time for which it carried frames with data"}},
         BOTTLENECK},
        {"v_transfer",
         "RDMA messages: those of plain flows always, those of jobs with record: [transfers].",
         {{"run", ""},
          {"transfer", "in the order of queue pairs and messages, from 0"},
          {"source", "node"},
          {"destination", "node"},
          {"bytes", ""},
          {"priority", ""},
          {"start_us", "posted"},
          {"delivered_us", "last frame arrived; NULL: not yet"},
          {"completed_us", "acknowledged; NULL: not yet"},
          {"retransmitted_bytes", ""},
          {"job", "name; NULL: of a plain flow"},
          {"delivered_bytes", "arrived in order by the end"}},
         TRANSFER},
        {"v_link_utilization",
         "Directed links within the interval of link_window.",
         {{"run", ""},
          {"link", ""},
          {"name", ""},
          {"rate_gbps", ""},
          {"bytes", "on the wire"},
          {"busy_fraction", "time of transmission"},
          {"utilization", "bits over what the rate allows"},
          {"marked_frames", "ECN"},
          {"paused_fraction", "of the priority paused longest (PFC)"}},
         LINK_UTILIZATION},
    };
    for (std::vector<ViewSpec> more : {GetAnalysisViews(), GetCampaignViews()})
    {
        std::move(more.begin(), more.end(), std::back_inserter(views));
    }
    return views;
}

std::string
GetResultSchema()
{
    std::string schema;
    for (const TableSpec* table : GetResultTables())
    {
        schema += table->GetCreateStatement();
    }
    for (const ViewSpec& view : GetResultViews())
    {
        schema += view.GetCreateStatement();
    }
    return schema;
}

} // namespace ns3
