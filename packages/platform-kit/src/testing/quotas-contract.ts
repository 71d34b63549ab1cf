import { expect, test } from '@jest/globals';
import type { Publishing, Quota } from '@switchboard/domain/ports';
import { discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';

const SNAKE_CASE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** The remaining quota of an account is an integer and decreases with each publication. */
export function quotasContract({ open, value, post }: ContractContext, publishing: Publishing): void {
  const fetchQuotas = async (): Promise<readonly Quota[]> => {
    const result = await publishing.quotas?.(open());
    return result ? value(result) : [];
  };

  test('an account’s quotas state the limit, the usage and the counted unit', async () => {
    const result = await fetchQuotas();
    expect(result).not.toEqual([]);
    expect(new Set(result.map(({ name }) => name)).size).toBe(result.length);
    for (const { name, used, limit, resetsAt, usedBy } of result) {
      expect(name).toMatch(SNAKE_CASE);
      expect([used, limit].every((count) => Number.isSafeInteger(count) && count >= 0)).toBe(true);
      expect(resetsAt === null || resetsAt instanceof Date).toBe(true);
      expect(usedBy).not.toEqual([]);
    }
  });

  test('a post uses one unit of every quota on posts and of no other', async () => {
    const before = await fetchQuotas();
    value(await publishing.publish(open(), post('One more'), discardReceipt));
    const used = (await fetchQuotas()).map((quota, at) => [quota.name, quota.used - (before[at]?.used ?? 0)]);
    expect(used).toEqual(before.map(({ name, usedBy }) => [name, usedBy.includes('post') ? 1 : 0]));
  });
}
