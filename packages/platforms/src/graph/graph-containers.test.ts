import { expect, test } from '@jest/globals';
import { ok } from '@switchboard/domain';
import type { PlatformResponse, PublishItem, Session } from '@switchboard/domain/ports';
import { publishContainer, type ContainerStatus, type ContainerApi } from './graph-containers.js';

type States = Readonly<Record<string, readonly ContainerStatus['state'][]>>;

/**
 * A network whose containers have these states on successive polls; the last state repeats. Created objects
 * have the IDs 1, 2 and so on.
 */
function network(states: States, refusal?: unknown) {
  const requested: string[] = [];
  const polls = new Map<string, number>();
  let created = 0;
  const session: Session = {
    apiVersion: null,
    account: { id: 'a', username: null, name: null, avatarUrl: null, url: null },
    connectMethod: 'oauth',
    baseUrl: 'http://127.0.0.1:9',
    grantedPermissions: [],
    signal: new AbortController().signal,
    async request({ path, form }) {
      requested.push(`${path} ${form?.['name'] ?? form?.['creation_id']}`);
      const isRefused = path === '/publish' && refusal !== undefined;
      const json = isRefused ? refusal : { id: String(++created) };
      const status = isRefused ? 400 : 200;
      return ok<PlatformResponse>({ status, ok: !isRefused, headers: {}, body: new Uint8Array(), json });
    },
  };
  const connectMethod: ContainerApi = {
    name: 'Meta',
    createPath: '/create',
    publishPath: '/publish',
    async look(id) {
      const at = polls.get(id) ?? 0;
      polls.set(id, at + 1);
      const state = states[id]?.[at] ?? states[id]?.at(-1) ?? (states[id] ? null : 'FINISHED');
      return ok(state && { state });
    },
  };
  return { session, connectMethod, asked: requested };
}

const plan = {
  children: [{ name: 'left' }, { name: 'right' }],
  whole: (ids: readonly string[]) => ({ name: `whole of ${ids.join('+')}` }),
};

async function attempt(states: States, receipt: PublishItem['receipt'] = {}, refusal?: unknown) {
  const { session, connectMethod, asked } = network(states, refusal);
  let stored = receipt;
  const saveReceipt = async (now: PublishItem['receipt']) => void (stored = now);
  const result = await publishContainer(session, connectMethod, plan, { receipt }, saveReceipt, [1, 1]);
  return { asked, kept: stored, code: result.ok ? 'ok' : result.failure.code };
}

test('creates the children, then the parent, then publishes; stores every ID first', async () => {
  expect(await attempt({})).toEqual({
    asked: ['/create left', '/create right', '/create whole of 1+2', '/publish 3'],
    kept: { child_0: '1', child_1: '2', container: '3' },
    code: 'ok',
  });
});

test('publishes a stored and ready container without creating another', async () => {
  const { asked, code } = await attempt({}, { child_0: 'c0', child_1: 'c1', container: 'w' });
  expect([asked, code]).toEqual([['/publish w'], 'ok']);
});

test('replaces a container that has expired or no longer exists', async () => {
  const receipt = { child_0: 'c0', child_1: 'c1', container: 'w' };
  const { asked } = await attempt({ w: ['EXPIRED'], c0: ['EXPIRED'], c1: [] }, receipt);
  expect(asked).toEqual(['/create left', '/create right', '/create whole of 1+2', '/publish 3']);
  const onlyWhole = await attempt({ w: ['EXPIRED'] }, receipt);
  expect(onlyWhole.asked).toEqual(['/create whole of c0+c1', '/publish 1']);
});

test('a failed child is a refusal, and a retry creates it anew', async () => {
  const failed = await attempt({ '2': ['IN_PROGRESS', 'ERROR'] });
  expect([failed.code, failed.kept]).toEqual(['platform.refused', { child_0: '1', child_1: '' }]);
  const again = await attempt({}, failed.kept);
  expect(again.asked).toEqual(['/create right', '/create whole of 1+1', '/publish 2']);
});

test('leaves processing that takes longer than an attempt to a later attempt', async () => {
  const { code, kept } = await attempt({ '1': ['IN_PROGRESS'] });
  expect([code, kept]).toEqual(['platform.unavailable', { child_0: '1', child_1: '2' }]);
});

test('never publishes a published container again', async () => {
  const { asked, code } = await attempt({ w: ['PUBLISHED'] }, { container: 'w' });
  expect([asked, code]).toEqual([[], 'platform.outcome_unknown']);
});

test.each([2_207_008, 2_207_020, 2_207_027, 4_279_009])(
  'a container that is unexpectedly not ready (%i) was not published and is published later',
  async (error_subcode) => {
    const error = { message: 'Media ID is not available', type: 'OAuthException', code: -2, error_subcode };
    expect((await attempt({}, {}, { error })).code).toBe('platform.unavailable');
  },
);
