import type { AccessTokens, ApiKeys } from '@switchboard/domain/ports';
import { KEY_CHANGES_CHANNEL, type NotificationListener } from '@switchboard/persistence';
import { createLookupCache } from './lookup-cache.js';

type Notices = Pick<NotificationListener, 'on' | 'state'>;

/** The key cache, in front of the stored API keys. `elapsedMs` is monotonic. */
export function cachedKeys(keys: ApiKeys, notices: Notices, elapsedMs: () => number): ApiKeys {
  const cache = createLookupCache(
    {
      findOne: (publicId) => keys.findByPublicId(publicId),
      async findAll(publicIds) {
        const found = await keys.findAllByPublicId(publicIds);
        const byId = new Map(found.map((one) => [one.key.publicId, one]));
        return publicIds.map((publicId) => byId.get(publicId) ?? null);
      },
      isAffected: (publicId, _, changed) => publicId === changed,
    },
    notices,
    elapsedMs,
  );
  notices.on(KEY_CHANGES_CHANNEL, (changed) => cache.outdate(changed));
  return { ...keys, findByPublicId: (publicId) => cache.find(publicId) };
}

/**
 * The same for access tokens: a change of the key that a token represents, or of its client, outdates the
 * token.
 */
export function cachedAccessTokens(
  accessTokens: AccessTokens,
  notices: Notices,
  elapsedMs: () => number,
): AccessTokens {
  const decode = (id: string) => Buffer.from(id, 'base64');
  const cache = createLookupCache(
    {
      findOne: (id) => accessTokens.find(decode(id)),
      findAll: (ids) => accessTokens.findAll(ids.map(decode)),
      isAffected: (_, found, changed) =>
        found === undefined || found?.key.publicId === changed || found?.client.id === changed,
    },
    notices,
    elapsedMs,
  );
  notices.on(KEY_CHANGES_CHANNEL, (changed) => cache.outdate(changed));
  return { ...accessTokens, find: (digest) => cache.find(Buffer.from(digest).toString('base64')) };
}
