/* SPDX-License-Identifier: GPL-2.0-only */
#include "analysis-schema.h"

namespace ns3
{

namespace
{

constexpr const char* SCHEMA = R"sql(
CREATE VIEW v_measured_iteration AS     -- those within the measuring window; of a job that has none
WITH period AS (                        -- there all; start to start, as in v_job
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
FROM marked WHERE within OR NOT any_within;

CREATE VIEW v_iteration_percentile AS   -- of v_measured_iteration, job by job
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
GROUP BY r.run, r.job;

CREATE VIEW v_contention AS             -- pairs of jobs that both sent on a link, up to the window's
                                        -- end. A job is taken to send evenly while it communicates,
                                        -- from the last rank's post of a collective to its end;
                                        -- overlap_bytes is the lesser of what the two sent on the
                                        -- link while the other communicated, too. Of a job without
                                        -- recorded collectives all counts: then it is a bound
WITH talk AS (
  SELECT run, job, last_post_ps AS from_ps, end_ps AS to_ps FROM collective
  WHERE end_ps > last_post_ps
), begun AS (                           -- 1: none of its earlier collectives is under way
  SELECT *, from_ps > COALESCE(MAX(to_ps) OVER (PARTITION BY run, job ORDER BY from_ps, to_ps
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), -1) AS first
  FROM talk
), numbered AS (
  SELECT *, SUM(first) OVER (PARTITION BY run, job ORDER BY from_ps, to_ps
    ROWS UNBOUNDED PRECEDING) AS phase
  FROM begun
), phase AS MATERIALIZED (              -- stretches in which a job communicates
  SELECT run, job, MIN(from_ps) AS from_ps, MAX(to_ps) AS to_ps
  FROM numbered GROUP BY run, job, phase
), talking AS MATERIALIZED (
  SELECT run, job, SUM(to_ps - from_ps) AS ps FROM phase GROUP BY run, job
), together AS MATERIALIZED (
  SELECT a.run AS run, a.job AS job_a, b.job AS job_b,
    SUM(MIN(a.to_ps, b.to_ps) - MAX(a.from_ps, b.from_ps)) AS ps
  FROM phase AS a JOIN phase AS b ON b.run = a.run AND b.job > a.job
    AND b.from_ps < a.to_ps AND b.to_ps > a.from_ps
  GROUP BY a.run, a.job, b.job
), sent AS MATERIALIZED (
  SELECT run, job, link, SUM(bytes) AS bytes FROM job_link GROUP BY run, job, link
), pair AS (
  SELECT a.run AS run, a.link AS link, a.job AS job_a, b.job AS job_b,
    a.bytes AS bytes_a, b.bytes AS bytes_b, ta.ps AS ps_a, tb.ps AS ps_b,
    CASE WHEN ta.ps IS NOT NULL AND tb.ps IS NOT NULL THEN COALESCE(t.ps, 0) END AS ps
  FROM sent AS a JOIN sent AS b ON b.run = a.run AND b.link = a.link AND b.job > a.job
  LEFT JOIN talking AS ta ON ta.run = a.run AND ta.job = a.job
  LEFT JOIN talking AS tb ON tb.run = b.run AND tb.job = b.job
  LEFT JOIN together AS t ON t.run = a.run AND t.job_a = a.job AND t.job_b = b.job
)
SELECT p.run AS run,
  l.name AS link,
  a.name AS job_a,
  b.name AS job_b,
  CAST(round(MIN(p.bytes_a * COALESCE(p.ps * 1.0 / p.ps_a, 1),
    p.bytes_b * COALESCE(p.ps * 1.0 / p.ps_b, 1))) AS INTEGER) AS overlap_bytes
FROM pair AS p
JOIN link AS l ON l.run = p.run AND l.link = p.link
JOIN job AS a ON a.run = p.run AND a.job = p.job_a
JOIN job AS b ON b.run = p.run AND b.job = p.job_b;

CREATE VIEW v_transfer_cdf AS           -- posted to acknowledged, by job and priority
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
FROM placed AS p LEFT JOIN job AS j ON j.run = p.run AND j.job = p.job;
)sql";

} // namespace

const char*
GetAnalysisSchema()
{
    return SCHEMA;
}

} // namespace ns3
