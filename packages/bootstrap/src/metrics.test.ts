import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { load } from 'js-yaml';
import pino from 'pino';
import { root } from './environment.js';
import { createMetrics } from './metrics.js';
import { outboundWatch } from './outbound-watch.js';

const fail = () => Promise.reject(new Error('not needed'));
const metrics = createMetrics({
  version: '1.2.3',
  queueDepth: fail,
  notices: { state: () => 'listening' },
  connections: () => ({ active: 1, idle: 2, waiting: 0 }),
  mediaDepth: fail,
  deliveryBacklog: fail,
  oldestWebhookSeconds: fail,
  pendingApprovals: fail,
  countPaused: fail,
});
const { registry } = metrics;
outboundWatch(registry, pino({ level: 'silent' }));
const namesBefore = registry.getMetricsAsArray().map(({ name }) => name);
await metrics.text();

/** What prom-client does not declare. */
interface DefinedMetric {
  readonly name: string;
  readonly labelNames: readonly string[];
}
/** Every series, by its name, with its labels. */
const defined = new Map<string, readonly string[]>();
for (const { name, labelNames } of registry.getMetricsAsArray() as unknown as DefinedMetric[]) {
  defined.set(name, labelNames);
  if (!name.endsWith('_seconds') || registry.getSingleMetric(name)?.constructor.name !== 'Histogram')
    continue;
  defined.set(`${name}_bucket`, [...labelNames, 'le']);
  for (const part of ['sum', 'count']) defined.set(`${name}_${part}`, labelNames);
}
/** Added by Prometheus when it scrapes. */
const TARGET_LABELS = ['job', 'instance'];

interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** The selectors of a PromQL expression, and the labels that its aggregations keep. */
function readExpression(expression: string): {
  readonly selectors: readonly Selector[];
  readonly groups: readonly string[];
} {
  const selectors = [...expression.matchAll(/\b(switchboard_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', matchers = '']) => ({
      metric,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }),
  );
  const groups = [...expression.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(
    ([, list = '']) => list.split(',').map((label) => label.trim()),
  );
  return { selectors, groups };
}

const referencesOf = (text: string) =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?([a-z]\w*)\s*\}\}/g)].map(([, label = '']) => label);

/** What an expression and its texts use that does not exist. */
function findUnknown(expression: string, texts: readonly string[] = []): readonly string[] {
  const { selectors, groups } = readExpression(expression);
  if (selectors.length === 0) return [`no metric in ${expression}`];
  const unknown = selectors.filter(({ metric }) => !defined.has(metric)).map(({ metric }) => metric);
  const labelsOf = (metric: string) => [...(defined.get(metric) ?? []), ...TARGET_LABELS];
  const wrong = selectors.flatMap(({ metric, labels }) =>
    labels.filter((label) => !labelsOf(metric).includes(label)).map((label) => `${metric}{${label}}`),
  );
  const available = selectors.flatMap(({ metric }) => labelsOf(metric));
  const lost = [...groups, ...texts.flatMap(referencesOf)].filter((label) => !available.includes(label));
  return [...unknown, ...wrong, ...lost.map((label) => `${label} in ${expression}`)];
}

interface AlertFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}
const read = (file: string) => readFile(path.join(root, 'docs', file), 'utf8');
const alerts = (load(await read('monitoring/alerts.yaml')) as AlertFile).groups.flatMap(({ rules }) => rules);
const targets = (JSON.parse(await read('monitoring/dashboard.json')) as Dashboard).panels.flatMap(
  (panel) => panel.targets?.map((target) => ({ ...target, title: panel.title })) ?? [],
);
const operating = await read('operating.md');

test.each(alerts.map((alert) => [alert.alert, alert] as const))(
  'the alert %s uses metrics and labels that exist, and says what to do',
  (_name, { expr, labels, annotations }) => {
    expect(findUnknown(expr, Object.values(annotations))).toEqual([]);
    expect(['critical', 'warning', 'info']).toContain(labels['severity']);
    expect(Object.keys(annotations).sort()).toEqual(['action', 'summary']);
  },
);

test.each(targets.map((target) => [target.title, target] as const))(
  'the panel %s uses metrics and labels that exist',
  (_title, { expr, legendFormat }) => {
    expect(findUnknown(expr, [legendFormat])).toEqual([]);
  },
);

describe('the table of metrics', () => {
  const documented = new Map(
    [...operating.matchAll(/^\| `(switchboard_[a-z_]+)(?:\{([a-z,]+)\})?`/gm)].map(
      ([, name = '', labels = '']) => [name, labels === '' ? [] : labels.split(',')],
    ),
  );
  const ours = (registry.getMetricsAsArray() as unknown as DefinedMetric[]).filter(
    ({ name }) => !/^switchboard_(process|nodejs)_/.test(name),
  );

  test('has every metric with its labels, and only these', () => {
    expect(documented).toEqual(new Map(ours.map(({ name, labelNames }) => [name, labelNames])));
  });

  test('has each metric in a panel of the dashboard', () => {
    const shown = new Set(
      targets.flatMap(({ expr }) =>
        readExpression(expr).selectors.map(({ metric }) => metric.replace(/_(bucket|sum|count)$/, '')),
      ),
    );
    expect(ours.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });
});

test('a metric, a label, a lost label and an expression without a metric are found', () => {
  expect(findUnknown('sum(switchboard_jobs_total)')).toEqual(['switchboard_jobs_total']);
  expect(findUnknown('switchboard_jobs_queued{queue="x"}')).toEqual(['switchboard_jobs_queued{queue}']);
  expect(findUnknown('sum by (queue) (switchboard_jobs_queued)')).toHaveLength(1);
  expect(findUnknown('max(switchboard_jobs_queued)', ['{{ $labels.queue }}'])).toHaveLength(1);
  expect(findUnknown('up == 0')).toHaveLength(1);
  expect(findUnknown('sum by (job) (switchboard_jobs_queued{job="x"})', ['{{job}}'])).toEqual([]);
});

test('metrics of Node.js are measured from the first request on', async () => {
  expect(namesBefore.filter((name) => /_nodejs_|_process_/.test(name))).toEqual([]);
  expect(defined.has('switchboard_nodejs_eventloop_lag_p99_seconds')).toBe(true);
  // A second registration of the same metrics would be rejected.
  expect(await metrics.text()).toMatch(/^switchboard_process_resident_memory_bytes \d+$/m);
});

test('a source that cannot be read leaves the other metrics readable', async () => {
  const text = await metrics.text();
  expect(text).toContain('switchboard_build_info{version="1.2.3"} 1');
  expect(text).toContain('switchboard_database_connections{state="idle"} 2');
  expect(text).toMatch(/^switchboard_deliveries_due NaN$/im);
});
