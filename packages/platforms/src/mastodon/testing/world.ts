import { mastodonInstance, type JudgedExchange, type MastodonInstance } from '@switchboard/simulators';
import { startSimulator, type SimulatedAnswer, type SimulatedRequest } from '../../kit/testing/simulator.js';
import type { World } from '../../kit/testing/world.js';
import { manifest } from '../manifest.js';

const ID = '109000000000000001';

export interface MastodonWorld extends World {
  readonly instance: MastodonInstance;
  /** What was asked and answered, the oldest first. */
  exchanges(): readonly JudgedExchange[];
}

/** An instance as its documentation describes it, with a ledger of statuses. Its clock moves a second with every look at it. */
export async function startWorld(): Promise<MastodonWorld> {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const instance = mastodonInstance({ now: () => new Date(++seconds * 1_000) });
  const seen: JudgedExchange[] = [];
  const scopes = [...new Set(Object.values(manifest.permissions).flat())];
  const ask = (request: SimulatedRequest, allowed: readonly string[]) =>
    instance.answerAs(request, { accountId: ID, scopes: allowed, application: 'Test' }) as SimulatedAnswer;

  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expired: { status: 401, json: { error: 'The access token was revoked' } },
    unknown: { status: 401, json: { error: 'The access token is invalid' } },
    weak(request) {
      const answer = ask(request, ['profile']);
      return answer.status === 403 ? answer : null;
    },
    call(request) {
      const answer = ask(request, scopes);
      const { method, path, body: sent } = request;
      seen.push({ method, path, sent, status: answer.status, answered: answer.json });
      return answer;
    },
    effects: () => instance.statuses.made(),
    textOf: (id) => instance.statuses.find(id)?.text ?? '',
    parentOf: (id) => instance.statuses.find(id)?.inReplyToId ?? null,
  });
  instance.livesAt(world.baseUrl);
  const account = { ...world.account, id: `${ID}@${new URL(world.baseUrl).host}` };
  return { ...world, account, instance, exchanges: () => seen };
}
