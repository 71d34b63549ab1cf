import { expect, test } from '@jest/globals';
import type { Call, Result } from '@switchboard/domain';
import type { AtomicPorts, Ports, ReadPorts } from '@switchboard/domain/ports';
import { z } from 'zod';
import { defineOperation } from './define.js';

interface SampleRecord {
  readonly name: string;
}
const sound = {
  name: 'getThing',
  summary: 'Read a thing.',
  guidance: 'A thing of this test.',
  scope: 'profiles:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'admin',
  http: { method: 'get', path: '/things/:thing_id', status: 200 },
  input: z.strictObject({ thing_id: z.string(), page_size: z.int().optional() }),
  output: z.object({ name: z.string() }),
  failures: ['profile.not_found'],
  example: { input: { thing_id: 'a' }, output: { name: 'A' } },
  sentence: () => 'A thing.',
  present: ({ name }: SampleRecord) => ({ name }),
} as const;

interface GetThing {
  readonly thingId: string;
  readonly pageSize?: number | undefined;
}
type UseCaseResult<Code extends 'profile.not_found' | 'post.not_found'> = Promise<Result<SampleRecord, Code>>;
const getThing = (
  _ports: Pick<ReadPorts, 'profiles'>,
  _call: Call,
  { thingId }: GetThing,
): UseCaseResult<'profile.not_found'> => Promise.resolve({ ok: true, value: { name: thingId } });

test('compiles an operation that agrees with its use case, and names its tool', () => {
  expect(defineOperation({ ...sound, useCase: getThing }).tool).toBe('get_thing');
});

// `tsc -p tsconfig.json` (pnpm lint) checks the following: every expected error must be one, or the build
// fails.
test('does not compile when code and contract drift apart', () => {
  const failsInSecret = (
    _ports: object,
    _call: Call,
    _command: GetThing,
  ): UseCaseResult<'profile.not_found' | 'post.not_found'> =>
    Promise.resolve({ ok: true, value: { name: '' } });
  // @ts-expect-error -- `post.not_found` is not declared
  defineOperation({ ...sound, useCase: failsInSecret });

  // @ts-expect-error -- finding 61: the use case never returns `post.not_found`
  defineOperation({ ...sound, useCase: getThing, failures: ['profile.not_found', 'post.not_found'] });

  const stream = { ...sound, useCase: getThing, body: 'stream' } as const;
  defineOperation({ ...stream, failures: ['profile.not_found', 'media.unreadable'] });
  // @ts-expect-error -- finding 61: no file is received with JSON
  defineOperation({ ...stream, body: 'json', failures: ['profile.not_found', 'media.unreadable'] });

  // @ts-expect-error -- finding 61: a GET only reads
  defineOperation({ ...sound, useCase: getThing, effect: 'update' });
  const put = { method: 'put', path: '/things/:thing_id', status: 200 } as const;
  defineOperation({ ...sound, useCase: getThing, effect: 'update', http: put });

  const ignoresPageSize = (
    _ports: object,
    _call: Call,
    _command: { readonly thingId: string },
  ): UseCaseResult<'profile.not_found'> => Promise.resolve({ ok: true, value: { name: '' } });
  // @ts-expect-error -- the use case ignores `page_size`, though it is optional
  defineOperation({ ...sound, useCase: ignoresPageSize });

  const wantsMore = (
    _ports: object,
    _call: Call,
    _command: GetThing & { readonly colour?: string },
  ): UseCaseResult<'profile.not_found'> => Promise.resolve({ ok: true, value: { name: '' } });
  // @ts-expect-error -- the input has no `colour`
  defineOperation({ ...sound, useCase: wantsMore });

  // @ts-expect-error -- `:id` is no input
  defineOperation({ ...sound, useCase: getThing, http: { method: 'get', path: '/things/:id', status: 200 } });

  // @ts-expect-error -- there is no such scope
  defineOperation({ ...sound, useCase: getThing, scope: 'profiles:reed' });

  // @ts-expect-error -- the output lacks `name`
  defineOperation({ ...sound, useCase: getThing, present: () => ({ title: '' }) });

  const callsOut = (
    _ports: Pick<Ports, 'sessions'>,
    _call: Call,
    _command: GetThing,
  ): UseCaseResult<'profile.not_found'> => Promise.resolve({ ok: true, value: { name: '' } });
  // @ts-expect-error -- an atomic operation runs inside a transaction: no network within reach
  defineOperation({ ...sound, boundary: 'atomic', useCase: callsOut });

  const writes = (
    _ports: Pick<AtomicPorts, 'events'>,
    _call: Call,
    _command: GetThing,
  ): UseCaseResult<'profile.not_found'> => Promise.resolve({ ok: true, value: { name: '' } });
  // @ts-expect-error -- a read operation has no transaction to write in
  defineOperation({ ...sound, useCase: writes });

  const reachesOut = async ({ transactions }: Pick<Ports, 'transactions'>) =>
    // @ts-expect-error -- a transaction holds no session with a platform
    transactions.run((tx) => Promise.resolve({ ok: true, value: Boolean(tx.sessions) }));
  expect(reachesOut).toBeInstanceOf(Function);
});
