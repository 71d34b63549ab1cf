-- A delivery has a job only when it is due now; the worker's sweep finds all others. Earlier versions queued one
-- job for each scheduled delivery, retry and read-back, which pg-boss scans again and again until they are due.
DO E'BEGIN
  IF to_regclass(\'pgboss.job\') IS NOT NULL THEN
    DELETE FROM pgboss.job WHERE name IN (\'deliver\', \'read_back_delivery\', \'take_snapshots\') AND state < \'active\'\073
  END IF\073
END';
