/* SPDX-License-Identifier: GPL-2.0-only */
#include "campaign-views.h"

#include "student-t.h"

namespace ns3
{

namespace
{

constexpr const char* RUN_FIGURE = R"sql(
WITH inside AS MATERIALIZED (
  SELECT run, ps, bytes, marked_frames FROM v_measured_iteration
), spread AS MATERIALIZED (
  SELECT run, job, p50_ms, p90_ms, p99_ms, max_ms FROM v_iteration_percentile
), ranked AS (                          -- percentile p: the smallest value that p % do not exceed;
                                        -- NULL: not finished, longer than all others
  SELECT run, 'iteration' AS name, ps / 1e9 AS value,
    ROW_NUMBER() OVER (PARTITION BY run ORDER BY ps) AS place,
    COUNT(*) OVER (PARTITION BY run) AS count
  FROM inside
  UNION ALL
  SELECT run, 'jct', jct_ps / 1e12, ROW_NUMBER() OVER (PARTITION BY run ORDER BY jct_ps NULLS LAST),
    COUNT(*) OVER (PARTITION BY run)
  FROM (SELECT run, CASE status WHEN 'finished' THEN end_ps - arrival_ps END AS jct_ps FROM job
        WHERE status <> 'not arrived')
  UNION ALL
  SELECT run, 'fct', (completed_ps - start_ps) / 1e6,
    ROW_NUMBER() OVER (PARTITION BY run ORDER BY completed_ps - start_ps NULLS LAST),
    COUNT(*) OVER (PARTITION BY run)
  FROM transfer WHERE job IS NULL
), percentile(percent) AS (
  VALUES (50), (95), (99)
)
SELECT run, '' AS job, 'gpu_utilization' AS figure, gpu_utilization AS value
FROM v_cluster_utilization
UNION ALL
SELECT run, '', 'gpu_utilization_all', gpu_utilization_all FROM v_cluster_utilization
UNION ALL
SELECT run, '', 'flop_utilization', flop_utilization FROM v_cluster_utilization
UNION ALL                               -- every job counts the same, however many iterations
SELECT run, '', 'iteration_ms', AVG(iteration_ms) FROM v_job GROUP BY run
UNION ALL
SELECT run, '', name || '_p' || percent || CASE name
  WHEN 'jct' THEN '_s' WHEN 'fct' THEN '_us' ELSE '_ms' END, value
FROM ranked JOIN percentile ON place = (count * percent + 99) / 100
WHERE value IS NOT NULL
UNION ALL
SELECT run, '', 'jct_s', AVG(value) FROM ranked WHERE name = 'jct' AND value IS NOT NULL
GROUP BY run
UNION ALL                               -- plain flows, posted to acknowledged
SELECT run, '', 'fct_us', AVG(value) FROM ranked WHERE name = 'fct' AND value IS NOT NULL
GROUP BY run
UNION ALL                               -- JCT and FCT censored by the end of the run
SELECT run, '', CASE name WHEN 'jct' THEN 'unfinished_jobs' ELSE 'unfinished_flows' END,
  SUM(value IS NULL)
FROM ranked WHERE name IN ('jct', 'fct') GROUP BY run, name
UNION ALL                               -- JCTs are those of finished jobs
SELECT run, '', 'finished_jobs', SUM(status = 'finished') FROM job GROUP BY run
UNION ALL
SELECT run, '', 'slowdown', AVG(slowdown) FROM v_job GROUP BY run
UNION ALL
SELECT run, '', 'slowdown_max', MAX(slowdown) FROM v_job GROUP BY run
UNION ALL                               -- ECN marks for each GB of payload
SELECT run, '', 'marks_per_gb', SUM(marked_frames) / (NULLIF(SUM(bytes), 0) / 1e9)
FROM inside GROUP BY run
UNION ALL                               -- of all links and priorities, in the run's own window
SELECT run, '', 'paused_s', SUM(paused_ps) / 1e12 FROM link_window GROUP BY run
UNION ALL                               -- in the whole run; NULL: pauses were not recorded
SELECT r.run, '', 'pauses', NULLIF((SELECT COUNT(*) FROM pause AS p WHERE p.run = r.run),
  CASE WHEN EXISTS (SELECT 1 FROM link_window AS w WHERE w.run = r.run AND w.paused_ps > 0)
  THEN 0 END)
FROM run AS r
UNION ALL
SELECT run, job, 'gpu_utilization', gpu_utilization FROM v_job
UNION ALL
SELECT run, job, 'iteration_ms', iteration_ms FROM v_job
UNION ALL
SELECT run, job, 'jct_s', jct_s FROM v_job
UNION ALL
SELECT run, job, 'slowdown', slowdown FROM v_job
UNION ALL
SELECT run, job, 'iteration_p50_ms', p50_ms FROM spread
UNION ALL
SELECT run, job, 'iteration_p90_ms', p90_ms FROM spread
UNION ALL
SELECT run, job, 'iteration_p99_ms', p99_ms FROM spread
UNION ALL
SELECT run, job, 'iteration_max_ms', max_ms FROM spread)sql";

/// The common part of the comparisons of labelled runs: differences of pairs with the same seed
/// from the label of the group's first run. `labelled` has run, seed, axis, label and first, the
/// first run of its group; runs of a group differ only in label and seed.
constexpr const char* COMPARISON = R"sql(
), figure AS MATERIALIZED (
  SELECT run, job, figure, value FROM v_run_figure WHERE value IS NOT NULL
), sample AS MATERIALIZED (
  SELECT l.axis, l.first, l.run, l.label, l.seed, f.job, f.figure, f.value
  FROM labelled AS l JOIN figure AS f ON f.run = l.run
), base AS MATERIALIZED (               -- the label of the first run
  SELECT s.* FROM sample AS s JOIN labelled AS l ON l.axis = s.axis AND l.run = s.first
  WHERE s.label = l.label
), paired AS (
  SELECT s.*, CASE WHEN s.label <> b.label THEN s.value - b.value END AS difference,
    CASE WHEN s.label <> b.label THEN s.value / NULLIF(b.value, 0) - 1 END AS relative
  FROM sample AS s LEFT JOIN base AS b ON b.axis = s.axis AND b.first = s.first
    AND b.seed = s.seed AND b.job = s.job AND b.figure = s.figure
), centred AS (
  SELECT *, difference - AVG(difference) OVER figures AS difference_error,
    relative - AVG(relative) OVER figures AS relative_error
  FROM paired
  WINDOW figures AS (PARTITION BY axis, first, label, job, figure)
), summed AS (
  SELECT axis, first, MIN(run) AS run, label, job, figure, COUNT(value) AS seeds,
    AVG(value) AS mean, COUNT(difference) AS pairs, AVG(difference) AS difference,
    SUM(difference_error * difference_error) AS difference_squares, AVG(relative) AS relative,
    SUM(relative_error * relative_error) AS relative_squares, COUNT(relative) AS relative_pairs
  FROM centred GROUP BY axis, first, label, job, figure
), compared AS (
  SELECT s.axis AS axis,
    s.first AS first,
    s.run AS run,                       -- the label's first
    (SELECT group_concat(axis || '=' || value, ', ') FROM (
       SELECT axis, value FROM campaign AS c
       WHERE c.run = s.first AND c.axis NOT IN (s.axis, 'seed') ORDER BY axis)) AS combination,
    s.label AS label,
    s.job AS job,                       -- '': all jobs
    s.figure AS figure,
    s.seeds AS seeds,
    s.mean AS mean,
    s.pairs AS pairs,                   -- seeds under which both labels have the figure
    s.difference AS difference,         -- from the group's first label, mean of pairs
    (SELECT t FROM quantile WHERE freedom <= s.pairs - 1 ORDER BY freedom DESC LIMIT 1)
      * sqrt(s.difference_squares / NULLIF(s.pairs - 1, 0) / s.pairs)
      AS half_width,                    -- of its 95 % interval
    s.relative AS relative,             -- mean of (value - base) / base
    (SELECT t FROM quantile WHERE freedom <= s.relative_pairs - 1 ORDER BY freedom DESC LIMIT 1)
      * sqrt(s.relative_squares / NULLIF(s.relative_pairs - 1, 0) / s.relative_pairs)
      AS relative_half_width
  FROM summed AS s
)
)sql";

/// Schedulers on the same scenario, over seeds; from a sweep, or a scenario's `compare`.
constexpr const char* SCHEDULERS = R"sql(
WITH labelled AS (
  SELECT run, seed, 'scheduler' AS axis,
    scheduler || CASE variant WHEN '' THEN '' ELSE ' ' || variant END AS label,
    MIN(run) OVER (PARTITION BY campaign_key) AS first
  FROM run)sql";

constexpr const char* SCHEDULER_ROWS = R"sql(
SELECT run, combination, label AS scheduler, job, figure, seeds, mean, pairs, difference,
  half_width, relative, relative_half_width
FROM compared
ORDER BY run, job, figure
)sql";

/// The values of each axis of a sweep except seeds, all else being equal.
constexpr const char* AXES = R"sql(
WITH value AS (
  SELECT run, axis, value, (SELECT group_concat(axis || '=' || value, ', ') FROM (
    SELECT axis, value FROM campaign AS d
    WHERE d.run = c.run AND d.axis NOT IN (c.axis, 'seed') ORDER BY axis)) AS others
  FROM campaign AS c WHERE axis <> 'seed'
), labelled AS (
  SELECT v.run AS run, r.seed AS seed, v.axis AS axis, v.value AS label,
    MIN(v.run) OVER (PARTITION BY v.axis, v.others) AS first
  FROM value AS v JOIN run AS r ON r.run = v.run)sql";

constexpr const char* AXIS_ROWS = R"sql(
SELECT axis, first, run, combination, label AS value, job, figure, seeds, mean, pairs, difference,
  half_width, relative, relative_half_width
FROM compared
ORDER BY axis, run, job, figure
)sql";

} // namespace

std::vector<ViewSpec>
GetCampaignViews()
{
    return {
        {"v_run_figure",
         "What runs are compared by, in seconds, milliseconds and fractions.",
         {{"run", ""},
          {"job", "name; '': of all jobs"},
          {"figure", "e.g. iteration_p99_ms"},
          {"value", ""}},
         RUN_FIGURE},
        {"v_scheduler_comparison",
         "Schedulers on the same scenario, over seeds: differences from the first scheduler over "
         "pairs of the same seed.",
         {{"run", "the scheduler's first"},
          {"combination", "of the other axes"},
          {"scheduler", ""},
          {"job", "name; '': of all jobs"},
          {"figure", "of v_run_figure"},
          {"seeds", ""},
          {"mean", ""},
          {"pairs", "seeds under which both have the figure"},
          {"difference", "mean over pairs"},
          {"half_width", "of its 95 % interval (Student's t; NULL for one pair)"},
          {"relative", "mean of (value - base) / base"},
          {"relative_half_width", "of its 95 % interval"}},
         std::string(SCHEDULERS) + "\n), " + STUDENT_T + COMPARISON + SCHEDULER_ROWS},
        {"v_axis_comparison",
         "The same for the values of each axis of a sweep, seeds excepted, from the axis's first "
         "value.",
         {{"axis", "e.g. placement"},
          {"first", "first run of the combination"},
          {"run", "the value's first"},
          {"combination", "of the other axes"},
          {"value", "of the axis"},
          {"job", "name; '': of all jobs"},
          {"figure", "of v_run_figure"},
          {"seeds", ""},
          {"mean", ""},
          {"pairs", "seeds under which both have the figure"},
          {"difference", "mean over pairs"},
          {"half_width", "of its 95 % interval (Student's t; NULL for one pair)"},
          {"relative", "mean of (value - base) / base"},
          {"relative_half_width", "of its 95 % interval"}},
         std::string(AXES) + "\n), " + STUDENT_T + COMPARISON + AXIS_ROWS},
    };
}

} // namespace ns3
