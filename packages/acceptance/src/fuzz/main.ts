import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@switchboard/bootstrap';
import { openChaosDatabase } from '../chaos/database.js';
import { describeReport } from './describe-report.js';
import { runFuzz } from './run-fuzz.js';

/** `[--seed n] [--requests n] [--from n]`. Exit code 1: a response violated the document. */
const { values } = parseArgs({
  options: { seed: { type: 'string' }, requests: { type: 'string' }, from: { type: 'string' } },
});
const log = (line: string) => void process.stderr.write(`${line}\n`);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
log(`Seed ${seed}: pass --seed ${seed} to repeat this run.`);

const stateDir = path.join(root, '.switchboard/fuzz');
await mkdir(stateDir, { recursive: true });
const database = await openChaosDatabase(stateDir, 'fuzz');
try {
  const report = await runFuzz({
    seed,
    log,
    requests: Number(values.requests ?? 20_000),
    from: Number(values.from ?? 0),
    databaseUrl: database.url,
  });
  process.stdout.write(describeReport(report));
  process.exitCode = report.findings.length > 0 ? 1 : 0;
} finally {
  await database.close();
}
