import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { httpCaller, type HttpCaller } from './http-caller.js';
import type { Installation } from './installation.js';
import { median, percentile } from './percentile.js';
import { millisecondsOf } from './rate.js';

/** Until caches are filled and statements are prepared. */
const WARM_UP_ROUNDS = 5;

interface ReadComparison {
  /** The first word of each figure. */
  readonly benchmark: string;
  readonly small: Installation;
  readonly large: Installation;
  /** Paths below /v1, with the most milliseconds that each may take in the large installation. */
  readonly reads: Readonly<Record<string, number>>;
  readonly rounds: number;
}

/** Both installations answer in turns, so that a disturbance of the machine affects both. */
export async function compareReads(
  { benchmark, small, large, reads, rounds }: ReadComparison,
  report: (results: readonly BenchmarkResult[]) => void,
): Promise<void> {
  const callers = [readerOf(small), readerOf(large)] as const;
  try {
    for (const [path, limitMs] of Object.entries(reads)) {
      const times: [number[], number[]] = [[], []];
      for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
        for (const side of [0, 1] as const) {
          const ms = await millisecondsOf(() => callers[side](`/v1${path}`));
          if (round >= 0) times[side].push(ms);
        }
      }
      const figure = `${benchmark}: GET ${withoutDates(path)}`;
      report([
        toBenchmarkResult({
          figure: `${figure}, p50`,
          value: median(times[1]),
          unit: 'ms',
          reach: { at_most: 2 },
          comparedWith: { what: 'the small installation', value: median(times[0]) },
        }),
        toBenchmarkResult({
          figure: `${figure}, p99`,
          value: percentile(times[1], 99),
          unit: 'ms',
          reach: { at_most: limitMs },
        }),
      ]);
    }
  } finally {
    for (const caller of callers) await caller.close();
  }
}

const CONNECTIONS = 10;

export const readerOf = ({ switchboard }: Installation, token = switchboard.keys.full): HttpCaller =>
  httpCaller(switchboard.url, {
    callers: CONNECTIONS,
    headers: { authorization: `Bearer ${token}` },
    status: 200,
  });

const DAY_MS = 86_400_000;

/** Equal for runs on different days. */
export const withoutDates = (path: string): string =>
  path
    .replace(
      /from=([\d-]{10})&to=([\d-]{10})/,
      (_, from: string, to: string) => `${(Date.parse(to) - Date.parse(from)) / DAY_MS + 1} days`,
    )
    .replace(/\d{4}-\d\d-\d\d[^&]*/g, '…');
