import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';

/** Of the kernel: a clock tick is 10 ms. */
const TICK_MS = 10;

interface ProcessTimes {
  readonly parent: number;
  readonly ownMs: number;
  /** Of the children that have ended. */
  readonly endedMs: number;
}

/** From /proc, on Linux; undefined for a process that has ended. */
async function processTimes(pid: number): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // Behind the name, which may contain spaces: state, parent, … utime, stime, cutime and cstime.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = (index: number) => (fields[index] ?? 0) * TICK_MS;
  return { parent: fields[1] ?? 0, ownMs: ticks(11) + ticks(12), endedMs: ticks(13) + ticks(14) };
}

export const processorMsOf = async (pid: number): Promise<number> => (await processTimes(pid))?.ownMs ?? NaN;

/** The processor time of PostgreSQL, which must run on this machine, and of all its processes so far. */
export async function processorMsOfPostgres(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = (await processTimes(rows[0]?.pid ?? 0))?.parent;
  if (server === undefined) return NaN;
  const own = await processTimes(server);
  let sumMs = (own?.ownMs ?? NaN) + (own?.endedMs ?? NaN);
  for (const name of await readdir('/proc')) {
    const times = /^\d+$/.test(name) ? await processTimes(Number(name)) : undefined;
    if (times?.parent === server) sumMs += times.ownMs;
  }
  return sumMs;
}

/** The resident memory of a process, from /proc, on Linux. */
export async function residentMibOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
