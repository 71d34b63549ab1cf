import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@switchboard/bootstrap';
import { runChaos } from './run.js';

/** `posts [--seed n] [--posts n]`: ends by itself, with a JSON line, and with 1 when a law was broken. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, posts: { type: 'string' }, output: { type: 'boolean' } },
});
const [what = 'posts'] = positionals;
if (what !== 'posts') {
  process.stderr.write(`There is no ${what}. There are posts.\n`);
  process.exit(2);
}
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
const tell = (line: string) => void process.stderr.write(`${line}\n`);
tell(`Seed ${seed}: pass --seed ${seed} to run the same again.`);
const stateDir = path.join(root, '.switchboard/chaos');
await mkdir(stateDir, { recursive: true });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));
const outcome = await runChaos({
  ...{ seed, stateDir, say: tell },
  posts: Number(values.posts ?? 1000),
  ...{ workers: 4, killEveryMs: 2000, databaseRestarts: 4, pauses: true, perSecond: 10, chaosMs: 180_000 },
  ...(values.output && { onOutput: (text: string) => tell(text.trim()) }),
});
process.stdout.write(`${JSON.stringify({ chaos: what, ...outcome })}\n`);
process.exitCode = outcome.broken.length > 0 ? 1 : 0;
