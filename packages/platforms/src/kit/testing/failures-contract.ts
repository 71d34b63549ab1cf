import { describe, expect, test } from '@jest/globals';
import { listRequestedPermissions } from '@switchboard/domain';
import { listCalls, type PlatformCall } from './calls.js';
import type { ContractContext } from './contract-context.js';
import type { Breakage } from './world.js';

type ExpectedCodes = Readonly<Record<PlatformCall['effect'], string>>;

/** Nobody knows what came of it: harmless where nothing happens or where it may happen again. */
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

/** A removal needs nothing of an answer's body, so garbage in it does no harm. */
const isRelevant = (call: PlatformCall, how: Breakage) => how !== 'garbage' || call.reads;

export function failuresContract({ platform, world, open, code }: ContractContext): void {
  for (const call of listCalls(platform, world)) {
    describe(call.name, () => {
      /** How many requests come before the one that the call is about. */
      const reads = () => {
        if (call.name === 'refunds.refund') return world().readsBeforeRefund ?? 0;
        return call.name === 'publishing.publish' ? (world().requestsBefore?.post ?? 0) : 0;
      };

      test.each(breakages.filter(([how]) => isRelevant(call, how)))(
        'knows what a %s means',
        async (how, expected) => {
          world().break(how, reads());
          const result = await call.run(open());
          expect(code(result)).toBe(expected[call.effect]);
          if (how === '429') expect(!result.ok && result.failure.retryAfterSeconds).toBeGreaterThan(0);
        },
      );

      test('knows an expired token', async () => {
        expect(code(await call.run(open({ token: world().expiredToken })))).toBe('connection.needs_reauth');
      });

      test('sends nothing when it is called off beforehand', async () => {
        const before = world().requests();
        expect(code(await call.run(open({ signal: AbortSignal.abort() })))).toBe('platform.unavailable');
        expect(world().requests()).toBe(before);
      });

      test('knows what it means to be called off on the way', async () => {
        const [before, calling] = [world().requests(), new AbortController()];
        world().break('hang', reads());
        const called = call.run(open({ signal: calling.signal }));
        // Not before it is there: a request that comes later would break in place of another test's.
        while (world().requests() <= before + reads()) await new Promise((next) => setTimeout(next, 5));
        calling.abort();
        expect(code(await called)).toBe(lostResponseCodes[call.effect]);
      });

      if (call.ability !== 'connecting') {
        test('knows a permission that was not given', async () => {
          if (world().withoutPermissions)
            return expect(listRequestedPermissions(platform.manifest)).toEqual([]);
          const seen = code(await call.run(open({ token: world().weakToken })));
          // What a server takes, and how many follow an account, is no secret everywhere.
          const fitting = ['publishing.options', 'analytics.ofAccount'].includes(call.name) ? ['ok'] : [];
          expect(['platform.permission_missing', ...fitting]).toContain(seen);
        });
      }
    });
  }
}
