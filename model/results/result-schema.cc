/* SPDX-License-Identifier: GPL-2.0-only */
#include "result-schema.h"

#include "analysis-schema.h"
#include "campaign-schema.h"

#include <string>

namespace ns3
{

namespace
{

// SQLite keeps the comments inside a statement: they are what `.schema` shows to users.
constexpr const char* TABLES_OF_RUNS = R"sql(
CREATE TABLE run (
  run INTEGER NOT NULL,                 -- one simulation of this file, from 1
  run_id TEXT NOT NULL,                 -- hash of all that decides the result
  campaign_key TEXT NOT NULL,           -- the same without seed and scheduler
  scenario TEXT NOT NULL,
  scenario_text TEXT NOT NULL,
  scheduler TEXT NOT NULL,
  placement TEXT NOT NULL,
  variant TEXT NOT NULL,
  seed INTEGER NOT NULL,
  versions TEXT NOT NULL,               -- JSON
  mode TEXT NOT NULL,
  status TEXT NOT NULL,                 -- running, finished, stopped
  end_ps INTEGER NOT NULL,
  events INTEGER NOT NULL,
  measure_from_ps INTEGER NOT NULL,     -- measuring window [from, to)
  measure_to_ps INTEGER NOT NULL,
  measure_note TEXT NOT NULL,
  peak_flops_per_gpu REAL NOT NULL,     -- FLOP/s
  PRIMARY KEY (run)
) STRICT, WITHOUT ROWID;

CREATE TABLE parameter (
  run INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  origin TEXT NOT NULL,                 -- command line, scenario, default
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE invariant (
  run INTEGER NOT NULL,
  name TEXT NOT NULL,
  expected INTEGER NOT NULL,
  actual INTEGER NOT NULL,
  PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE node (
  run INTEGER NOT NULL,
  node INTEGER NOT NULL,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,                   -- host, switch
  gpus INTEGER NOT NULL,
  PRIMARY KEY (run, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE link (                     -- one direction of a cable
  run INTEGER NOT NULL,
  link INTEGER NOT NULL,
  name TEXT NOT NULL,
  source INTEGER NOT NULL,              -- node
  destination INTEGER NOT NULL,         -- node
  source_port INTEGER NOT NULL,         -- of its node, from 0: a host's NIC
  rate_bps INTEGER NOT NULL,
  delay_ps INTEGER NOT NULL,
  PRIMARY KEY (run, link)
) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* TABLES_OF_JOBS = R"sql(
CREATE TABLE job (
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  gpus INTEGER NOT NULL,
  batch INTEGER NOT NULL,               -- samples a GPU an iteration
  scale TEXT NOT NULL,
  w_flop REAL NOT NULL,                 -- W: FLOP of an iteration, all GPUs
  gradient_bytes INTEGER NOT NULL,      -- of a rank
  solo_iteration_ps INTEGER,            -- iteration time alone; NULL: unknown
  comm_ps INTEGER,                      -- t_j: its traffic on its busiest link; NULL: unknown
  arrival_ps INTEGER NOT NULL,
  start_ps INTEGER,                     -- NULL: waits
  end_ps INTEGER,                       -- NULL: had not ended
  status TEXT NOT NULL,                 -- waiting, running, finished, failed
  PRIMARY KEY (run, job)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_event (
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  event INTEGER NOT NULL,               -- of the job, from 0
  time_ps INTEGER NOT NULL,
  kind TEXT NOT NULL,                   -- arrived, placed, profiled, started, interrupted,
                                        -- restarted, failed, finished
  detail TEXT NOT NULL,
  PRIMARY KEY (run, job, event)
) STRICT, WITHOUT ROWID;

CREATE TABLE gpu_allocation (
  run INTEGER NOT NULL,
  gpu INTEGER NOT NULL,
  job INTEGER NOT NULL,
  start_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  PRIMARY KEY (run, gpu, start_ps, job)
) STRICT, WITHOUT ROWID;

CREATE TABLE gpu_failure (              -- its host was down: GPU time of kind failed, of no job
  run INTEGER NOT NULL,
  gpu INTEGER NOT NULL,
  start_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  PRIMARY KEY (run, gpu, start_ps)
) STRICT, WITHOUT ROWID;

CREATE TABLE iteration (                -- times are sums over the ranks of the job
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  iteration INTEGER NOT NULL,           -- from 0
  count INTEGER NOT NULL,               -- iterations the row stands for
  start_ps INTEGER NOT NULL,            -- earliest rank
  end_ps INTEGER NOT NULL,              -- latest rank
  compute_ps INTEGER NOT NULL,
  exposed_ps INTEGER NOT NULL,          -- exposed communication
  peer_wait_ps INTEGER NOT NULL,
  shift_ps INTEGER NOT NULL,
  bytes INTEGER NOT NULL,               -- payload posted to the network
  marked_frames INTEGER,                -- ECN; NULL: not counted
  retransmitted_bytes INTEGER,          -- NULL: not counted
  extrapolated INTEGER NOT NULL,        -- 1: not simulated packet by packet
  PRIMARY KEY (run, job, iteration)
) STRICT, WITHOUT ROWID;

CREATE TABLE span (                     -- splits the time of an allocated GPU without gap
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  gpu INTEGER NOT NULL,
  kind TEXT NOT NULL,                   -- compute, exposed_communication, peer_wait, shift, failed
  start_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  PRIMARY KEY (run, gpu, start_ps, end_ps, job, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_utilization (          -- GPU time of a job iteration by iteration, over all its GPUs:
  run INTEGER NOT NULL,                 -- [earliest rank's start, that of the next iteration), which
  job INTEGER NOT NULL,                 -- tile the time it holds GPUs; what lies before the first and
  start_ps INTEGER NOT NULL,            -- after the last iteration is a row of its own
  end_ps INTEGER NOT NULL,
  compute_ps INTEGER NOT NULL,
  exposed_ps INTEGER NOT NULL,
  peer_wait_ps INTEGER NOT NULL,
  shift_ps INTEGER NOT NULL,
  failed_ps INTEGER NOT NULL,
  flops REAL NOT NULL,                  -- FLOP done: W by the share of an iteration's compute time
  bytes INTEGER NOT NULL,               -- payload of the iteration
  PRIMARY KEY (run, job, start_ps)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_window (               -- the same within the measuring window
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  start_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  allocated_ps INTEGER NOT NULL,        -- GPU time
  compute_ps INTEGER NOT NULL,
  exposed_ps INTEGER NOT NULL,
  peer_wait_ps INTEGER NOT NULL,
  shift_ps INTEGER NOT NULL,
  failed_ps INTEGER NOT NULL,
  flops REAL NOT NULL,
  PRIMARY KEY (run, job)
) STRICT, WITHOUT ROWID;

CREATE TABLE collective (
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,
  communicator INTEGER NOT NULL,
  collective INTEGER NOT NULL,          -- of the communicator, from 0
  iteration INTEGER NOT NULL,
  op TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  bytes INTEGER NOT NULL,               -- buffer of a rank
  channels INTEGER NOT NULL,
  ranks INTEGER NOT NULL,
  first_post_ps INTEGER NOT NULL,
  last_post_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  bus_bandwidth_bps INTEGER NOT NULL,   -- as nccl-tests define it
  PRIMARY KEY (run, job, communicator, collective)
) STRICT, WITHOUT ROWID;

CREATE TABLE decision (
  run INTEGER NOT NULL,
  decision INTEGER NOT NULL,
  time_ps INTEGER NOT NULL,
  scheduler TEXT NOT NULL,
  trigger TEXT NOT NULL,                -- arrival, departure, profiled, period
  job INTEGER,
  kind TEXT NOT NULL,                   -- placement, priority, path, shift, partition, fallback
  value TEXT NOT NULL,
  inputs TEXT NOT NULL,                 -- JSON: what a query needs to recompute it
  reason TEXT NOT NULL,
  PRIMARY KEY (run, decision)
) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* TABLES_OF_THE_FABRIC = R"sql(
CREATE TABLE queue_pair (
  run INTEGER NOT NULL,
  queue_pair INTEGER NOT NULL,
  job INTEGER,                          -- NULL: a plain flow
  source INTEGER NOT NULL,              -- node
  destination INTEGER NOT NULL,         -- node
  channel INTEGER NOT NULL,
  udp_source_port INTEGER NOT NULL,     -- when created
  priority INTEGER NOT NULL,            -- when created
  source_nic INTEGER NOT NULL,          -- its link
  destination_nic INTEGER NOT NULL,     -- its link
  created_ps INTEGER NOT NULL,
  PRIMARY KEY (run, queue_pair)
) STRICT, WITHOUT ROWID;

CREATE TABLE queue_pair_change (
  run INTEGER NOT NULL,
  queue_pair INTEGER NOT NULL,
  change INTEGER NOT NULL,              -- of the queue pair, from 0
  time_ps INTEGER NOT NULL,
  old INTEGER NOT NULL,                 -- UDP source port
  new INTEGER NOT NULL,
  old_priority INTEGER NOT NULL,
  new_priority INTEGER NOT NULL,
  decision INTEGER,
  PRIMARY KEY (run, queue_pair, change)
) STRICT, WITHOUT ROWID;

CREATE TABLE transfer (                 -- one RDMA message
  run INTEGER NOT NULL,
  queue_pair INTEGER NOT NULL,
  message INTEGER NOT NULL,             -- of the queue pair, from 0
  job INTEGER,                          -- NULL: a plain flow
  communicator INTEGER,
  collective INTEGER,
  step INTEGER,
  channel INTEGER NOT NULL,
  source INTEGER NOT NULL,              -- node
  destination INTEGER NOT NULL,         -- node
  source_nic INTEGER NOT NULL,          -- its link
  destination_nic INTEGER NOT NULL,     -- its link
  bytes INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  start_ps INTEGER NOT NULL,            -- posted
  delivered_ps INTEGER,                 -- last frame arrived; NULL: not yet
  completed_ps INTEGER,                 -- acknowledged; NULL: not yet
  retransmitted_bytes INTEGER NOT NULL,
  PRIMARY KEY (run, queue_pair, message)
) STRICT, WITHOUT ROWID;

CREATE TABLE job_link (                 -- counters since the start, at the end of the window
  run INTEGER NOT NULL,
  job INTEGER NOT NULL,                 -- -1: plain flows
  link INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  bytes INTEGER NOT NULL,               -- on the wire
  frames INTEGER NOT NULL,
  marked_frames INTEGER NOT NULL,
  busy_ps INTEGER NOT NULL,             -- its frames were being transmitted
  queue_ps INTEGER NOT NULL,            -- sum of the waits of its frames
  paused_ps INTEGER NOT NULL,
  PRIMARY KEY (run, job, link, priority)
) STRICT, WITHOUT ROWID;

CREATE TABLE link_sample (              -- counters since the start
  run INTEGER NOT NULL,
  link INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  time_ps INTEGER NOT NULL,
  frames INTEGER NOT NULL,
  bytes INTEGER NOT NULL,               -- on the wire
  marked_frames INTEGER NOT NULL,
  dropped_frames INTEGER NOT NULL,
  busy_ps INTEGER NOT NULL,
  paused_ps INTEGER NOT NULL,
  queue_bytes INTEGER NOT NULL,         -- waiting at that time
  PRIMARY KEY (run, link, priority, time_ps)
) STRICT, WITHOUT ROWID;

CREATE TABLE link_window (              -- differences of the counters over [start_ps, end_ps)
  run INTEGER NOT NULL,
  link INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  start_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  frames INTEGER NOT NULL,
  bytes INTEGER NOT NULL,               -- on the wire
  marked_frames INTEGER NOT NULL,
  dropped_frames INTEGER NOT NULL,
  busy_ps INTEGER NOT NULL,
  paused_ps INTEGER NOT NULL,
  PRIMARY KEY (run, link, priority)
) STRICT, WITHOUT ROWID;

CREATE TABLE bottleneck (               -- jobs that send data on the scenario's `bottleneck`, over
  run INTEGER NOT NULL,                 -- the whole run (Crux, Theorem 1); frames that carry data
  job INTEGER NOT NULL,
  link INTEGER NOT NULL,
  iteration_ps INTEGER NOT NULL,        -- t: wire time of an iteration's frames
  carried_ps INTEGER NOT NULL,          -- S: wire time of the frames carried
  done_flop REAL NOT NULL,              -- W x iterations computed, in fractions
  carried_flop REAL NOT NULL,           -- W S / t
  bound_flop REAL NOT NULL,             -- W, times the iterations that its ranks span at the end
  note TEXT NOT NULL,                   -- why the theorem does not speak of it; '': it does
  PRIMARY KEY (run, job)
) STRICT, WITHOUT ROWID;

CREATE TABLE pause (                    -- PFC
  run INTEGER NOT NULL,
  link INTEGER NOT NULL,                -- the one paused
  priority INTEGER NOT NULL,
  start_ps INTEGER NOT NULL,
  end_ps INTEGER NOT NULL,
  caused_by_link INTEGER,               -- that the frame was for which made the peer pause us
  PRIMARY KEY (run, link, priority, start_ps, end_ps)
) STRICT, WITHOUT ROWID;

CREATE TABLE fabric_event (             -- drops, timeouts, NAKs, failures
  run INTEGER NOT NULL,
  time_ps INTEGER NOT NULL,
  node INTEGER NOT NULL,                -- -1: none
  event INTEGER NOT NULL,               -- of the node at that time, from 0
  kind TEXT NOT NULL,
  link INTEGER,
  queue_pair INTEGER,
  priority INTEGER NOT NULL,
  detail TEXT NOT NULL,
  PRIMARY KEY (run, time_ps, node, event)
) STRICT, WITHOUT ROWID;
)sql";

constexpr const char* VIEWS = R"sql(
CREATE VIEW v_job AS                    -- within the measuring window, jct_s and wait_s excepted
WITH period AS (                        -- start to start: where ranks end an iteration at
                                        -- different times, its end overlaps the next one
  SELECT run, job, count, start_ps, end_ps, COALESCE(
    LEAD(start_ps) OVER (PARTITION BY run, job ORDER BY iteration), end_ps) - start_ps AS ps
  FROM iteration
), inside AS (
  SELECT p.run, p.job, SUM(p.ps) AS total_ps, SUM(p.count) AS iterations
  FROM period AS p JOIN run AS r ON r.run = p.run
  WHERE p.start_ps >= r.measure_from_ps AND p.end_ps <= r.measure_to_ps
  GROUP BY p.run, p.job
), whole AS (
  SELECT run, job, SUM(ps) AS total_ps, SUM(count) AS iterations
  FROM period GROUP BY run, job
), mean AS (                            -- where no iteration lies in the window: of all
  SELECT w.run, w.job, w.iterations,
    COALESCE(i.total_ps * 1.0 / i.iterations, w.total_ps * 1.0 / w.iterations) AS iteration_ps
  FROM whole AS w LEFT JOIN inside AS i ON i.run = w.run AND i.job = w.job
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
  j.w_flop / (NULLIF(j.comm_ps, 0) / 1e12) AS intensity, -- FLOP/s
  (j.end_ps - j.arrival_ps) / 1e12 AS jct_s,
  (j.start_ps - j.arrival_ps) / 1e12 AS wait_s
FROM job AS j
LEFT JOIN mean AS m ON m.run = j.run AND m.job = j.job
LEFT JOIN job_window AS w ON w.run = j.run AND w.job = j.job;

CREATE VIEW v_cluster_utilization AS    -- within the measuring window
WITH done AS (
  SELECT run, SUM(compute_ps) AS compute_ps, SUM(allocated_ps) AS allocated_ps,
    SUM(flops) AS flops
  FROM job_window GROUP BY run
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
LEFT JOIN gpu AS g ON g.run = r.run;

CREATE VIEW v_bottleneck AS             -- Theorem 1: |U - F| <= sum of W, over the whole run
SELECT b.run AS run,
  l.name AS link,
  COUNT(*) AS jobs,
  SUM(b.done_flop) AS done_flop,        -- U
  SUM(b.carried_flop) AS carried_flop,  -- F
  SUM(b.bound_flop) AS bound_flop,
  SUM(b.note <> '') AS jobs_outside,    -- of which the theorem does not speak
  SUM(b.carried_ps) * 1.0 / NULLIF(r.end_ps, 0) AS busy_fraction
FROM bottleneck AS b
JOIN run AS r ON r.run = b.run
LEFT JOIN link AS l ON l.run = b.run AND l.link = b.link
GROUP BY b.run, b.link;

CREATE VIEW v_transfer AS
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
  j.name AS job                         -- NULL: of a plain flow
FROM transfer AS t
LEFT JOIN node AS s ON s.run = t.run AND s.node = t.source
LEFT JOIN node AS d ON d.run = t.run AND d.node = t.destination
LEFT JOIN job AS j ON j.run = t.run AND j.job = t.job;

CREATE VIEW v_link_utilization AS       -- within the stretch that link_window names
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
FROM link AS l LEFT JOIN total AS t ON t.run = l.run AND t.link = l.link;
)sql";

} // namespace

const char*
GetResultSchema()
{
    static const std::string schema = std::string(TABLES_OF_RUNS) + TABLES_OF_JOBS +
                                      TABLES_OF_THE_FABRIC + VIEWS + GetAnalysisSchema() +
                                      GetCampaignSchema();
    return schema.c_str();
}

} // namespace ns3
