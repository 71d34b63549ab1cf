import type { FuzzReport } from './run-fuzz.js';

const SHOWN_FINDINGS = 20;

/** The coverage by operation and status, the findings with what repeats each, and a line of JSON. */
export function describeReport(report: FuzzReport): string {
  const { seed, requests, findings, coverage, platformFailures, rejectedBodies, residentMib } = report;
  const statuses = [...new Set([...coverage.values()].flatMap((one) => [...one.keys()]))].sort(
    (a, b) => a - b,
  );
  const width = Math.max(...[...coverage.keys()].map((id) => id.length));
  const row = (name: string, cells: readonly (string | number)[]) =>
    `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(6)).join('')}`;
  const table = [
    row('operation', statuses),
    ...[...coverage].map(([id, counts]) =>
      row(
        id,
        statuses.map((status) => counts.get(status) ?? '·'),
      ),
    ),
  ];
  // One of each kind: the same defect appears in many requests.
  const distinct = new Map(findings.map((one) => [`${one.operation} ${one.kind} ${one.message}`, one]));
  const shown = [...distinct.values()]
    .slice(0, SHOWN_FINDINGS)
    .map((one) =>
      [
        `${one.operation}: ${one.kind}: ${one.message}`,
        `  repeat: pnpm test:fuzz --seed ${seed} --from ${one.number} --requests 1`,
        `  or with all requests before it: pnpm test:fuzz --seed ${seed} --requests ${one.number + 1}`,
        `  mutations: ${JSON.stringify(one.mutations).slice(0, 500)}`,
        ...[one.request, one.response].map((text) => text.replace(/^/gm, '  | ')),
      ].join('\n'),
    );
  const rejected = [...rejectedBodies]
    .sort(([, one], [, other]) => other - one)
    .map(([field, count]) => `  ${count} ${field}`);
  const summary = {
    fuzz: 'rest',
    seed,
    requests,
    findings: findings.length,
    distinct_findings: distinct.size,
    platform_failures: platformFailures,
    resident_mib: residentMib,
    operations: coverage.size,
    without_success: [...coverage]
      .filter(([, counts]) => ![...counts.keys()].some((status) => status < 300))
      .map(([id]) => id),
  };
  return [
    ...table,
    '',
    'Allowed by the schemas, rejected by further rules:',
    ...rejected,
    '',
    ...shown,
    ...(distinct.size > SHOWN_FINDINGS ? [`… and ${distinct.size - SHOWN_FINDINGS} more.`] : []),
    JSON.stringify(summary),
    '',
  ].join('\n');
}
