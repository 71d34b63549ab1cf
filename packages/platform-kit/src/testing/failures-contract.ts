import { describe, expect, test } from '@jest/globals';
import { listRequestedPermissions } from '@switchboard/domain/connections';
import { listCalls, type PlatformCall } from './calls.js';
import type { ContractContext } from './contract-context.js';
import type { Breakage } from './world.js';

type ExpectedCodes = Readonly<Record<PlatformCall['effect'], string>>;

/** The outcome is unknown: harmless for operations without effect or that can be repeated. */
const lostResponseCodes: ExpectedCodes = {
  read: 'platform.unavailable',
  idempotent: 'platform.unavailable',
  write: 'platform.outcome_unknown',
};
const invalidResponseCodes: ExpectedCodes = {
  read: 'platform.invalid_response',
  idempotent: 'platform.invalid_response',
  write: 'platform.outcome_unknown',
};
const always = (code: string): ExpectedCodes => ({ read: code, idempotent: code, write: code });

const breakages: readonly (readonly [Breakage, ExpectedCodes])[] = [
  ['429', always('platform.rate_limited')],
  ['500-before', lostResponseCodes],
  ['500-after', lostResponseCodes],
  ['reset-before-effect', lostResponseCodes],
  ['reset-after-effect', lostResponseCodes],
  ['2xx-truncated', lostResponseCodes],
  ['redirect', invalidResponseCodes],
  ['garbage', invalidResponseCodes],
];

/** A removal does not parse the response's body, so an invalid one does no harm. */
const isRelevant = (call: PlatformCall, how: Breakage) => how !== 'garbage' || call.reads;

export function failuresContract({ platform, world, open, code }: ContractContext): void {
  for (const call of listCalls(platform, world)) {
    describe(call.name, () => {
      /** The number of requests that precede the one under test. */
      const reads = () => {
        if (call.name === 'refunds.refund') return world().readsBeforeRefund ?? 0;
        if (call.name === 'publishing.edit') return world().requestsBefore?.edit ?? 0;
        return call.name === 'publishing.publish' ? (world().requestsBefore?.post ?? 0) : 0;
      };

      test.each(breakages.filter(([how]) => isRelevant(call, how)))('maps a %s', async (how, expected) => {
        world().break(how, reads());
        const result = await call.run(open());
        expect(code(result)).toBe(expected[call.effect]);
        if (how === '429') expect(!result.ok && result.failure.retryAfterSeconds).toBeGreaterThan(0);
      });

      test('reports an expired token', async () => {
        expect(code(await call.run(open({ token: world().expiredToken })))).toBe('connection.needs_reauth');
      });

      test('sends nothing when it is aborted beforehand', async () => {
        const before = world().requests();
        expect(code(await call.run(open({ signal: AbortSignal.abort() })))).toBe('platform.unavailable');
        expect(world().requests()).toBe(before);
      });

      test('reports an abort during the request', async () => {
        const [before, calling] = [world().requests(), new AbortController()];
        world().break('hang', reads());
        const called = call.run(open({ signal: calling.signal }));
        // Waits until the request has arrived: a later one would consume the fault of another test.
        while (world().requests() <= before + reads()) await new Promise((next) => setTimeout(next, 5));
        calling.abort();
        expect(code(await called)).toBe(lostResponseCodes[call.effect]);
      });

      if (call.ability !== 'connecting') {
        test('reports a permission that was not granted', async () => {
          if (world().withoutPermissions)
            return expect(listRequestedPermissions(platform.manifest)).toEqual([]);
          const seen = code(await call.run(open({ token: world().weakToken })));
          // Server limits and follower counts are public on some platforms.
          const fitting = ['publishing.options', 'analytics.ofAccount'].includes(call.name) ? ['ok'] : [];
          // Meta lets every login of an account read the ids of its posts.
          if (call.name === 'publishing.exists' && world().removalUnproven)
            fitting.push('platform.outcome_unknown');
          expect(['platform.permission_missing', ...fitting]).toContain(seen);
        });
      }
    });
  }
}
