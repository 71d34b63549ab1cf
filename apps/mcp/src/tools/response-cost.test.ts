import { expect, test } from '@jest/globals';
import { listManifests } from '@switchboard/bootstrap';
import { catalog } from '@switchboard/operations';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { itemBudgets, sampleResponses } from '../testing/sample-responses.js';
import { deriveTools } from './tool.js';
import { toolResult } from './tool-result.js';

const tools = deriveTools(catalog, listManifests({ sandbox: true, externalPlatforms: [] }));
const samples = sampleResponses(catalog, listManifests({ sandbox: false, externalPlatforms: [] }));
const names = { platformName: (id: string) => id };

/** The response as an agent receives it without `detail`. */
function resultOf({ operation, value }: (typeof samples)[number]) {
  const rest = { failure: null, replayed: false, etag: null, allowance: null, scopes: [] };
  const response = { ...rest, status: operation.http.status, body: () => JSON.stringify(value), value };
  return toolResult(operation, response, tools, names);
}
const itemsOf = (sample: (typeof samples)[number]) =>
  resultOf(sample).structuredContent['data'] as readonly unknown[];
const tokensOf = (value: unknown) => countTokens(JSON.stringify(value));

const limited = samples.flatMap((sample) => {
  const budget = itemBudgets[sample.operation.tool ?? ''];
  return budget === undefined ? [] : [[sample.name, budget, sample] as const];
});

test.each(limited)('%s costs at most %i tokens per item', (_name, budget, sample) => {
  const items = itemsOf(sample);
  expect(items.length).toBeGreaterThanOrEqual(10);
  expect(tokensOf(items) / items.length).toBeLessThanOrEqual(budget);
});

test('every compact list with a budget has a sample', () => {
  expect(new Set(limited.map(([, , { operation }]) => operation.tool))).toEqual(
    new Set(Object.keys(itemBudgets)),
  );
});

test.each(limited.filter(([name]) => !name.startsWith('list_orders')))(
  '%s has no item of more than %i tokens',
  (_name, budget, sample) => {
    expect(Math.max(...itemsOf(sample).map(tokensOf))).toBeLessThanOrEqual(budget);
  },
);

test('a report of ten platforms with every metric costs at most 600 tokens', () => {
  const report = samples.find(({ operation }) => operation.tool === 'get_analytics');
  if (!report) throw new Error('there is no sample of a report');
  const { content, structuredContent } = resultOf(report);
  expect((structuredContent['groups'] as { rows: unknown[] }).rows).toHaveLength(10);
  expect(countTokens(content[0].text)).toBeLessThanOrEqual(600);
});

test('the samples are valid responses of their operations', () => {
  for (const { operation, value } of samples) expect(operation.output.parse(value)).toEqual(value);
});
