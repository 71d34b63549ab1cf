import type { BenchmarkResult } from './benchmark-result.js';
import { analytics } from './figures/analytics.js';
import { growth } from './figures/growth.js';
import { listConnections } from './figures/list-connections.js';
import { listOfTools } from './figures/list-of-tools.js';
import { mcpOverHttp } from './figures/mcp-over-http.js';
import { mcpOverStdio } from './figures/mcp-over-stdio.js';
import { mediaFairness } from './figures/media-fairness.js';
import { openVault } from './figures/open-vault.js';
import { ordersOfStores } from './figures/orders-of-stores.js';
import { postsDueAtOnce } from './figures/posts-due-at-once.js';
import { overload } from './figures/overload.js';
import { schedulePost } from './figures/schedule-post.js';
import { secondStart } from './figures/second-start.js';
import { sustainedLoad } from './figures/sustained-load.js';
import { webhookDeliveries } from './figures/webhook-deliveries.js';
import { startInstallation, type Installation } from './support/installation.js';
import { stopRunning } from './support/with-program.js';

const standaloneBenchmarks: Readonly<
  Record<
    string,
    (report: (figures: readonly BenchmarkResult[]) => void) => Promise<readonly BenchmarkResult[]>
  >
> = { vault: openVault, start: secondStart, growth, analytics, load: sustainedLoad, overload };
const installationBenchmarks: Readonly<
  Record<string, (installation: Installation) => Promise<readonly BenchmarkResult[]>>
> = {
  list: listConnections,
  orders: ordersOfStores,
  'mcp-http': mcpOverHttp,
  'mcp-stdio': mcpOverStdio,
  tools: listOfTools,
  schedule: schedulePost,
  due: postsDueAtOnce,
  media: mediaFairness,
  events: webhookDeliveries,
};

const names = [...Object.keys(standaloneBenchmarks), ...Object.keys(installationBenchmarks)];
const requestedNames = process.argv.slice(2);
const unknown = requestedNames.find((name) => !names.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`Unknown benchmark ${unknown}. Available: ${names.join(', ')}.\n`);
  process.exit(2);
}
/** Those that take longer than all others together: only when named. */
const onlyWhenNamed = ['growth', 'analytics', 'load', 'overload'];
const isRequested = ([name]: [string, unknown]) =>
  requestedNames.length === 0 ? !onlyWhenNamed.includes(name) : requestedNames.includes(name);

let installation: Installation | undefined;
const stop = async () => {
  await installation?.close();
  await stopRunning();
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stop().finally(() => process.exit(130)));
}

const all: BenchmarkResult[] = [];
const report = (figures: readonly BenchmarkResult[]) => {
  for (const figure of figures) process.stdout.write(`${JSON.stringify(figure)}\n`);
  all.push(...figures);
};
try {
  for (const [, measure] of Object.entries(standaloneBenchmarks).filter(isRequested))
    report(await measure(report));
  const chosen = Object.entries(installationBenchmarks).filter(isRequested);
  if (chosen.length > 0) installation = await startInstallation();
  for (const [, measure] of chosen) if (installation) report(await measure(installation));
} finally {
  await stop();
}
const missed = all.filter(({ met }) => !met);
process.stdout.write(
  `${all.length - missed.length} of ${all.length} benchmarks meet their threshold${missed.length > 0 ? `; missed: ${missed.map(({ figure }) => figure).join('; ')}` : ''}.\n`,
);
