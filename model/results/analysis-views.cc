/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis-views.h"

#include "student-t.h"

namespace ns3
{

namespace
{

constexpr const char* MEASURED_ITERATION = R"sql(
WITH period AS (                        -- start to start: where ranks end an iteration at
                                        -- different times, its end overlaps the next one
  SELECT run, job, iteration, count, start_ps, end_ps, bytes, marked_frames,
    LEAD(start_ps) OVER (PARTITION BY run, job ORDER BY iteration) AS next_ps
  FROM iteration
), windowed AS (                        -- the last has no period: it ends when all is drained
  SELECT p.*, p.next_ps IS NOT NULL AS periodic, p.next_ps IS NOT NULL
    AND p.start_ps >= r.measure_from_ps AND p.end_ps <= r.measure_to_ps AS within
  FROM period AS p JOIN run AS r ON r.run = p.run
), marked AS (
  SELECT *, MAX(within) OVER (PARTITION BY run, job) AS any_within,
    MAX(periodic) OVER (PARTITION BY run, job) AS any_periodic
  FROM windowed
)
SELECT run, job, iteration, count, start_ps, end_ps, COALESCE(next_ps, end_ps) - start_ps AS ps,
  bytes, marked_frames, within
FROM marked WHERE within OR NOT any_within AND (periodic OR NOT any_periodic))sql";

/// Reads v_measured_iteration; the rows of Student's t are prepended.
constexpr const char* ITERATION_INTERVAL = R"sql(
), mean AS (
  SELECT run, job, MIN(iteration) AS first, MAX(iteration) AS last, MIN(within) AS within,
    SUM(count) AS count, SUM(ps) * 1.0 / SUM(count) AS ps
  FROM v_measured_iteration WHERE count > 0 GROUP BY run, job
), squared AS (
  SELECT m.run AS run, m.job AS job,
    SUM(i.count * (i.ps * 1.0 / i.count - m.ps) * (i.ps * 1.0 / i.count - m.ps)) AS squares
  FROM mean AS m JOIN v_measured_iteration AS i ON i.run = m.run AND i.job = m.job
  WHERE i.count > 0 GROUP BY m.run, m.job
), interval AS (
  SELECT m.*, (SELECT t FROM quantile WHERE freedom <= m.count - 1 ORDER BY freedom DESC LIMIT 1)
    * sqrt(s.squares / NULLIF(m.count - 1, 0) / m.count) / NULLIF(m.ps, 0) AS half_width
  FROM mean AS m JOIN squared AS s ON s.run = m.run AND s.job = m.job
)
SELECT i.run AS run,
  j.name AS job,
  i.first AS first_iteration,
  i.last AS last_iteration,
  i.count AS iterations,
  i.within AS within,
  i.ps / 1e9 AS mean_ms,
  i.half_width AS half_width,
  i.within AND i.count >= 3 AND i.half_width <= 0.05 AS enough
FROM interval AS i JOIN job AS j ON j.run = i.run AND j.job = i.job
)sql";

constexpr const char* ITERATION_PERCENTILE = R"sql(
WITH ranked AS (                        -- percentile p: the smallest value that p % do not exceed
  SELECT run, job, within, ps * 1.0 / count AS ps,
    SUM(count) OVER (PARTITION BY run, job ORDER BY ps * 1.0 / count
      ROWS UNBOUNDED PRECEDING) AS place,
    SUM(count) OVER (PARTITION BY run, job) AS count
  FROM v_measured_iteration WHERE count > 0
), started AS (                         -- end_ps NULL: had not ended when the run did
  SELECT run, job, start_ps, end_ps FROM iteration
  UNION ALL
  SELECT run, job, open_iteration_ps, NULL FROM job WHERE open_iteration_ps IS NOT NULL
), cut AS (                             -- by the end of the window, or without one of the run
  SELECT s.run AS run, s.job AS job, SUM(s.end_ps IS NULL) AS at_end,
    SUM(s.start_ps >= r.measure_from_ps AND s.start_ps < r.measure_to_ps
      AND COALESCE(s.end_ps > r.measure_to_ps, 1)) AS in_window
  FROM started AS s JOIN run AS r ON r.run = s.run GROUP BY s.run, s.job
)
SELECT r.run AS run,
  j.name AS job,
  MAX(r.count) AS iterations,
  MIN(CASE WHEN r.place * 100 >= r.count * 50 THEN r.ps END) / 1e9 AS p50_ms,
  MIN(CASE WHEN r.place * 100 >= r.count * 90 THEN r.ps END) / 1e9 AS p90_ms,
  MIN(CASE WHEN r.place * 100 >= r.count * 99 THEN r.ps END) / 1e9 AS p99_ms,
  MAX(r.ps) / 1e9 AS max_ms,
  CASE WHEN MAX(r.within) THEN c.in_window ELSE c.at_end END AS censored
FROM ranked AS r JOIN job AS j ON j.run = r.run AND j.job = r.job
JOIN cut AS c ON c.run = r.run AND c.job = r.job
GROUP BY r.run, r.job)sql";

constexpr const char* CONTENTION = R"sql(
WITH sent AS MATERIALIZED (
  SELECT run, job, link, SUM(bytes) AS bytes FROM job_link WHERE job >= 0 GROUP BY run, job, link
), pair AS MATERIALIZED (
  SELECT DISTINCT a.run AS run, a.job AS job_a, b.job AS job_b
  FROM sent AS a JOIN sent AS b ON b.run = a.run AND b.link = a.link AND b.job > a.job
), ended AS MATERIALIZED (
  SELECT run, job, last_post_ps, end_ps FROM collective WHERE end_ps IS NOT NULL
), event AS (                           -- collectives of the two that begin (1) and end (-1)
  SELECT p.*, c.last_post_ps AS at_ps, 1 AS a, 0 AS b
  FROM pair AS p JOIN ended AS c ON c.run = p.run AND c.job = p.job_a
  UNION ALL
  SELECT p.*, c.end_ps, -1, 0
  FROM pair AS p JOIN ended AS c ON c.run = p.run AND c.job = p.job_a
  UNION ALL
  SELECT p.*, c.last_post_ps, 0, 1
  FROM pair AS p JOIN ended AS c ON c.run = p.run AND c.job = p.job_b
  UNION ALL
  SELECT p.*, c.end_ps, 0, -1
  FROM pair AS p JOIN ended AS c ON c.run = p.run AND c.job = p.job_b
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
WITH placed AS (                        -- the unfinished take longer than all others
  SELECT run, job, priority, completed_ps - start_ps AS ps,
    CUME_DIST() OVER (PARTITION BY run, job, priority
      ORDER BY completed_ps - start_ps NULLS LAST) AS fraction,
    SUM(completed_ps IS NULL) OVER (PARTITION BY run, job, priority) AS censored
  FROM transfer
)
SELECT DISTINCT p.run AS run,
  j.name AS job,                        -- NULL: plain flows
  p.priority AS priority,
  p.ps / 1e6 AS value_us,
  p.fraction AS fraction,               -- of them take so long or less
  p.censored AS censored
FROM placed AS p LEFT JOIN job AS j ON j.run = p.run AND j.job = p.job
WHERE p.ps IS NOT NULL)sql";

} // namespace

std::vector<ViewSpec>
GetAnalysisViews()
{
    return {
        {"v_measured_iteration",
         "Iterations within the measuring window; of a job that has none there, all. The last one "
         "of a job counts only if it is the only one: it has no period, and ends when all that it "
         "sent has arrived.",
         {{"run", ""},
          {"job", "number of the job"},
          {"iteration", "from 0"},
          {"count", "iterations the row stands for"},
          {"start_ps", "earliest rank"},
          {"end_ps", "latest rank"},
          {"ps", "start to start of the next, as in v_job"},
          {"bytes", "payload"},
          {"marked_frames", "ECN"},
          {"within", "1: within the window"}},
         MEASURED_ITERATION},
        {"v_iteration_interval",
         "How well the mean iteration time of a job is known: enough iterations are three or more "
         "within the measuring window, the 95 % interval of whose mean is at most 5 % of it to "
         "either side. It takes them for independent, which jobs that disturb each other are not "
         "quite.",
         {{"run", ""},
          {"job", "name"},
          {"first_iteration", "from 0, of v_measured_iteration"},
          {"last_iteration", ""},
          {"iterations", "counted"},
          {"within", "1: within the window; 0: none is, so all count"},
          {"mean_ms", ""},
          {"half_width",
           "of the 95 % interval over the mean (Student's t; NULL for one iteration)"},
          {"enough", "1: they are enough"}},
         "\nWITH " + std::string(STUDENT_T) + ITERATION_INTERVAL},
        {"v_iteration_percentile",
         "Iteration times of jobs, of v_measured_iteration. Percentile p is the nearest rank: the "
         "smallest time that p % of the iterations do not exceed.",
         {{"run", ""},
          {"job", "name"},
          {"iterations", "counted"},
          {"p50_ms", ""},
          {"p90_ms", ""},
          {"p99_ms", ""},
          {"max_ms", ""},
          {"censored",
           "not counted: they begin in the window and do not end in it, or, where the window has "
           "none, had not ended when the run did"}},
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
         "Completion times of transfers, posted to acknowledged, of each job and priority. Those "
         "not acknowledged take longer than all others: the fraction then ends below 1.",
         {{"run", ""},
          {"job", "name; NULL: plain flows"},
          {"priority", ""},
          {"value_us", ""},
          {"fraction", "of those posted that take so long or less"},
          {"censored", "of those posted, how many were not acknowledged"}},
         TRANSFER_CDF},
    };
}

} // namespace ns3
