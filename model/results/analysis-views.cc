/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis-views.h"

namespace ns3
{

namespace
{

constexpr const char* MEASURED_ITERATION = R"sql(
WITH period AS (
  SELECT run, job, iteration, count, start_ps, end_ps, bytes, marked_frames, COALESCE(
    LEAD(start_ps) OVER (PARTITION BY run, job ORDER BY iteration), end_ps) - start_ps AS ps
  FROM iteration
), windowed AS (
  SELECT p.*, p.start_ps >= r.measure_from_ps AND p.end_ps <= r.measure_to_ps AS within
  FROM period AS p JOIN run AS r ON r.run = p.run
), marked AS (
  SELECT *, MAX(within) OVER (PARTITION BY run, job) AS any_within FROM windowed
)
SELECT run, job, iteration, count, start_ps, end_ps, ps, bytes, marked_frames
FROM marked WHERE within OR NOT any_within)sql";

constexpr const char* ITERATION_PERCENTILE = R"sql(
WITH ranked AS (                        -- percentile p: the smallest value that p % do not exceed
  SELECT run, job, ps * 1.0 / count AS ps,
    SUM(count) OVER (PARTITION BY run, job ORDER BY ps * 1.0 / count
      ROWS UNBOUNDED PRECEDING) AS place,
    SUM(count) OVER (PARTITION BY run, job) AS count
  FROM v_measured_iteration WHERE count > 0
)
SELECT r.run AS run,
  j.name AS job,
  MAX(r.count) AS iterations,
  MIN(CASE WHEN r.place * 100 >= r.count * 50 THEN r.ps END) / 1e9 AS p50_ms,
  MIN(CASE WHEN r.place * 100 >= r.count * 90 THEN r.ps END) / 1e9 AS p90_ms,
  MIN(CASE WHEN r.place * 100 >= r.count * 99 THEN r.ps END) / 1e9 AS p99_ms,
  MAX(r.ps) / 1e9 AS max_ms
FROM ranked AS r JOIN job AS j ON j.run = r.run AND j.job = r.job
GROUP BY r.run, r.job)sql";

constexpr const char* CONTENTION = R"sql(
WITH sent AS MATERIALIZED (
  SELECT run, job, link, SUM(bytes) AS bytes FROM job_link WHERE job >= 0 GROUP BY run, job, link
), pair AS MATERIALIZED (
  SELECT DISTINCT a.run AS run, a.job AS job_a, b.job AS job_b
  FROM sent AS a JOIN sent AS b ON b.run = a.run AND b.link = a.link AND b.job > a.job
), event AS (                           -- collectives of the two that begin (1) and end (-1)
  SELECT p.*, c.last_post_ps AS at_ps, 1 AS a, 0 AS b
  FROM pair AS p JOIN collective AS c ON c.run = p.run AND c.job = p.job_a
  UNION ALL
  SELECT p.*, c.end_ps, -1, 0
  FROM pair AS p JOIN collective AS c ON c.run = p.run AND c.job = p.job_a
  UNION ALL
  SELECT p.*, c.last_post_ps, 0, 1
  FROM pair AS p JOIN collective AS c ON c.run = p.run AND c.job = p.job_b
  UNION ALL
  SELECT p.*, c.end_ps, 0, -1
  FROM pair AS p JOIN collective AS c ON c.run = p.run AND c.job = p.job_b
), slice AS (                           -- up to the next event: collectives of each under way
  SELECT run, job_a, job_b, LEAD(at_ps) OVER events - at_ps AS ps,
    SUM(a) OVER events AS a, SUM(b) OVER events AS b
  FROM event
  WINDOW events AS (PARTITION BY run, job_a, job_b ORDER BY at_ps ROWS UNBOUNDED PRECEDING)
), met AS MATERIALIZED (
  SELECT run, job_a, job_b, SUM(CASE WHEN a > 0 THEN ps END) AS ps_a,
    SUM(CASE WHEN b > 0 THEN ps END) AS ps_b,
    COALESCE(SUM(CASE WHEN a > 0 AND b > 0 THEN ps END), 0) AS ps
  FROM slice GROUP BY run, job_a, job_b
), share AS (
  SELECT p.*, CASE WHEN m.ps_a > 0 AND m.ps_b > 0 THEN m.ps * 1.0 / m.ps_a ELSE 1 END AS of_a,
    CASE WHEN m.ps_a > 0 AND m.ps_b > 0 THEN m.ps * 1.0 / m.ps_b ELSE 1 END AS of_b
  FROM pair AS p LEFT JOIN met AS m
    ON m.run = p.run AND m.job_a = p.job_a AND m.job_b = p.job_b
)
SELECT s.run AS run,
  l.name AS link,
  ja.name AS job_a,
  jb.name AS job_b,
  CAST(round(MIN(a.bytes * s.of_a, b.bytes * s.of_b)) AS INTEGER) AS overlap_bytes
FROM share AS s
JOIN sent AS a ON a.run = s.run AND a.job = s.job_a
JOIN sent AS b ON b.run = s.run AND b.job = s.job_b AND b.link = a.link
JOIN link AS l ON l.run = s.run AND l.link = a.link
JOIN job AS ja ON ja.run = s.run AND ja.job = s.job_a
JOIN job AS jb ON jb.run = s.run AND jb.job = s.job_b)sql";

constexpr const char* TRANSFER_CDF = R"sql(
WITH placed AS (
  SELECT run, job, priority, completed_ps - start_ps AS ps,
    CUME_DIST() OVER (PARTITION BY run, job, priority ORDER BY completed_ps - start_ps) AS fraction
  FROM transfer WHERE completed_ps IS NOT NULL
)
SELECT DISTINCT p.run AS run,
  j.name AS job,                        -- NULL: plain flows
  p.priority AS priority,
  p.ps / 1e6 AS value_us,
  p.fraction AS fraction                -- of them take so long or less
FROM placed AS p LEFT JOIN job AS j ON j.run = p.run AND j.job = p.job)sql";

} // namespace

std::vector<ViewSpec>
GetAnalysisViews()
{
    return {
        {"v_measured_iteration",
         "Iterations within the measuring window; of a job that has none there, all.",
         {{"run", ""},
          {"job", "number of the job"},
          {"iteration", "from 0"},
          {"count", "iterations the row stands for"},
          {"start_ps", "earliest rank"},
          {"end_ps", "latest rank"},
          {"ps", "start to start of the next, as in v_job"},
          {"bytes", "payload"},
          {"marked_frames", "ECN"}},
         MEASURED_ITERATION},
        {"v_iteration_percentile",
         "Iteration times of jobs, of v_measured_iteration. Percentile p is the nearest rank: the "
         "smallest time that p % of the iterations do not exceed.",
         {{"run", ""},
          {"job", "name"},
          {"iterations", "counted"},
          {"p50_ms", ""},
          {"p90_ms", ""},
          {"p99_ms", ""},
          {"max_ms", ""}},
         ITERATION_PERCENTILE},
        {"v_contention",
         "Pairs of jobs that both sent on a directed link, up to the end of the run's own "
         "measuring window, as job_link. Counters are of jobs and links, not of times, so a job is "
         "taken to send evenly while it communicates, from the last rank's post of a collective to "
         "its end. Jobs that take turns have 0. Of a job without recorded collectives all that it "
         "sent counts, which makes it an upper bound.",
         {{"run", ""},
          {"link", "name"},
          {"job_a", "name"},
          {"job_b", "name; later in the scenario"},
          {"overlap_bytes",
           "the lesser of what the two sent on the link while the other communicated, too"}},
         CONTENTION},
        {"v_transfer_cdf",
         "Completion times of transfers, posted to acknowledged, of each job and priority.",
         {{"run", ""},
          {"job", "name; NULL: plain flows"},
          {"priority", ""},
          {"value_us", ""},
          {"fraction", "of them that take so long or less"}},
         TRANSFER_CDF},
    };
}

} // namespace ns3
