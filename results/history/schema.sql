CREATE TABLE cases (  -- A row for each record of a results file.
  id INTEGER PRIMARY KEY,
  host TEXT NOT NULL,       -- of all ranks; where they ran on several, how many: "2 nodes"
  date TEXT NOT NULL,       -- when the case ended, UTC: "2026-11-30T21:06:07Z"
  job TEXT NOT NULL,        -- number that Slurm, PBS or LSF gave it; "": none
  layout TEXT NOT NULL,     -- "2 ranks on 1 node"
  app TEXT NOT NULL,
  case_name TEXT NOT NULL,  -- app, ranks, and all that was asked of problem and variant
  time_s REAL,              -- seconds per step: median, and its 95 % interval
  low_s REAL,
  high_s REAL,
  predicted_s REAL,         -- by the refined form, and where nine of ten runs end
  predicted_low_s REAL,
  predicted_high_s REAL,
  rate REAL,                -- work per second of all ranks, in this unit
  unit TEXT,
  share REAL,               -- of the calibrated limit of this name
  limited_by TEXT,
  verdict TEXT NOT NULL,    -- normal, slower, faster, cannot tell, not predicted, wrong result
  terms TEXT NOT NULL,      -- JSON: median seconds of each term by its name
  record TEXT NOT NULL      -- JSON, results/record.schema.json: json_extract(record, '$.energy.watts.gpus')
);
-- A record that is added again is the same row.
CREATE UNIQUE INDEX cases_once ON cases (
  case_name, host, layout, date, ifnull(time_s, 0), ifnull(low_s, 0), ifnull(high_s, 0));

CREATE TABLE parameters (  -- A row for each number of a machine file that `compare` compares.
  machine TEXT NOT NULL,
  host TEXT NOT NULL,    -- that calibrated it; "": not known
  date TEXT NOT NULL,
  layout TEXT NOT NULL,  -- JSON
  name TEXT NOT NULL,    -- "device.memory_bandwidth_bytes_per_s"
  value REAL NOT NULL,   -- and its 95 % interval, in this unit
  low REAL NOT NULL,
  high REAL NOT NULL,
  unit TEXT NOT NULL,
  UNIQUE (machine, host, date, name)
);
PRAGMA application_id = 0x42776869;
PRAGMA user_version = 1;
