import {
  fieldsOfForm,
  mastodonInstance,
  type WireRequest,
  type JudgedExchange,
  type MastodonInstance,
} from '@switchboard/simulators';
import { startSimulator, type SimulatedAnswer } from '../../kit/testing/simulator.js';
import type { World } from '../../kit/testing/world.js';
import { testSession } from '../../kit/testing/session.js';
import { connecting } from '../connecting.js';
import { manifest } from '../manifest.js';

const ID = '109000000000000001';
const OF_ACCOUNT =
  'Without it a status has the default of the account, which its owner may have changed since, and shows the value alone. https://docs.joinmastodon.org/entities/Account/#CredentialAccount';

export interface MastodonWorld extends World {
  readonly instance: MastodonInstance;
  /** What was asked, under which idempotency key, and answered, the oldest first. */
  exchanges(): readonly (JudgedExchange & { readonly key: unknown })[];
}

/** An instance as its documentation describes it, with a ledger of statuses, and small for pictures. Its clock moves a second with every look at it. */
export async function startWorld(): Promise<MastodonWorld> {
  let seconds = Date.parse('2026-11-21T12:00:00.000Z') / 1_000;
  const instance = mastodonInstance({
    now: () => new Date(++seconds * 1_000),
    limits: { imageSizeLimit: 1_048_576 },
  });
  const seen: (JudgedExchange & { readonly key: unknown })[] = [];
  const scopes = [...new Set(Object.values(manifest.permissions).flat())];
  const ask = (request: WireRequest, allowed: readonly string[]) =>
    instance.answerAs(request, { accountId: ID, scopes: allowed, application: 'Test' }) as SimulatedAnswer;

  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expired: { status: 401, json: { error: 'The access token was revoked' } },
    unknown: { status: 401, json: { error: 'The access token is invalid' } },
    weak(request) {
      const answer = ask(request, ['profile']);
      return answer.status === 403 ? answer : null;
    },
    async call(request) {
      const sent = request.form ? await fieldsOfForm(request.form) : request.body;
      const answer = ask({ ...request, body: sent }, scopes);
      const { method, path, headers } = request;
      const sentAs = headers['content-type']?.split(';')[0];
      const key = headers['idempotency-key'];
      seen.push({ method, path, key, sent, sentAs, status: answer.status, answered: answer.json });
      return answer;
    },
    effects: () => instance.statuses.made(),
    textOf: (id) => instance.statuses.find(id)?.text ?? '',
    parentOf: (id) => instance.statuses.find(id)?.inReplyToId ?? null,
    mediaOf: (id) =>
      (instance.statuses.find(id)?.media ?? []).map(({ contentType, sha256, description }) => ({
        type: contentType,
        sha256,
        altText: description,
      })),
  });
  instance.livesAt(world.baseUrl);
  const found = await connecting.identify(testSession(world));
  if (!found.ok || !found.value[0]) throw new Error('the world does not know its own account');
  return {
    ...world,
    account: found.value[0],
    instance,
    exchanges: () => seen,
    notReadBack: {
      'having no option visibility': OF_ACCOUNT,
      'having no option language': OF_ACCOUNT,
    },
    // Null of a status that answers none.
    omitted: ['*.in_reply_to_id'],
  };
}
