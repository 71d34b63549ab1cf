import { mastodonInstance, observedExchange, type ObservedExchange } from '@switchboard/simulators';
import { identifyAccount, startSimulator, tickingClock } from '@switchboard/platform-kit/testing/simulator';
import type { ExtendedWorld } from '@switchboard/platform-kit/testing/world';
import { connecting } from '../connecting.js';
import { manifest } from '../manifest.js';

const ID = '109000000000000001';
const OF_ACCOUNT =
  'Without it a status has the default of the account, which its owner may have changed since, and shows the value alone. https://docs.joinmastodon.org/entities/Account/#CredentialAccount';

/** An instance as documented, with a ledger of statuses and a small image limit. */
export async function startWorld() {
  const instance = mastodonInstance({
    now: tickingClock(),
    limits: { imageSizeLimit: 1_048_576 },
  });
  const scopes = [...new Set(Object.values(manifest.permissions).flat())];
  const owner = { accountId: ID, scopes, application: 'Test' };
  const world = await startSimulator({
    account: { id: ID, username: null, name: null, avatarUrl: null, url: null },
    expiredTokenResponse: { status: 401, json: { error: 'The access token was revoked' } },
    simulator: instance,
    owner,
    weakOwner: { ...owner, scopes: ['profile'] },
    effects: () => instance.statuses.createdCount(),
    textOf: (id) => instance.statuses.find(id)?.text ?? '',
    parentOf: (id) => instance.statuses.find(id)?.inReplyToId ?? null,
    mediaOf: (id) =>
      (instance.statuses.find(id)?.media ?? []).map(({ contentType, sha256, description }) => ({
        type: contentType,
        sha256,
        altText: description,
      })),
  });
  return {
    ...world,
    account: await identifyAccount(connecting, world),
    instance,
    edits: () => instance.statuses.edits().length,
    /** The requests with their idempotency keys, and the responses, oldest first. */
    exchanges: (): readonly (ObservedExchange & { readonly key: unknown })[] =>
      world.exchanges().map((one) => {
        const { headers } = one.request;
        const sentAs = headers['content-type']?.split(';')[0];
        const { query: _, ...exchange } = observedExchange(one);
        return { ...exchange, sentAs, key: headers['idempotency-key'] };
      }),
    notReadBack: {
      'having no option visibility': OF_ACCOUNT,
      'having no option language': OF_ACCOUNT,
    },
    // Null for a status that is not a reply.
    omittedFields: ['*.in_reply_to_id'],
  } satisfies ExtendedWorld;
}
