import {
  ok,
  refuse,
  type PlatformFailureCode,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Result,
  type Session,
} from '@switchboard/domain';
import { ask } from '../kit/answers.js';
import { facetsOf } from './facets.js';
import { recordKey } from './record-key.js';
import { finalText, langsOf, rules } from './rules.js';
import { anything, dialect, storedRecord, writtenRecord } from './wire.js';

const COLLECTION = 'app.bsky.feed.post';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item) {
    const text = finalText(item);
    const facets = await facetsOf(session, text, item.link);
    if (!facets.ok) return facets;
    const langs = langsOf(item);

    const written = await ask(
      session,
      dialect,
      {
        method: 'POST',
        path: '/xrpc/com.atproto.repo.putRecord',
        json: {
          ...keyOf(session, item),
          record: {
            $type: COLLECTION,
            text,
            createdAt: item.createdAt.toISOString(),
            ...(facets.value.length > 0 ? { facets: facets.value } : {}),
            ...(langs.length > 0 ? { langs } : {}),
          },
          swapRecord: null, // "only where nothing is yet": the same content again is answered 200, anything else refused
        },
        effect: 'write',
      },
      writtenRecord,
      (words) => (words.code === 'InvalidSwap' ? ok(null) : undefined),
    );
    if (!written.ok) return written;
    return written.value ? ok(part(written.value)) : earlierAttempt(session, item);
  },

  find,

  async remove(session, { externalId }) {
    const rkey = externalId?.split('/').at(-1);
    if (!rkey) return ok();
    const removed = await ask(
      session,
      dialect,
      {
        method: 'POST',
        path: '/xrpc/com.atproto.repo.deleteRecord',
        json: { repo: session.account.id, collection: COLLECTION, rkey },
        effect: 'idempotent',
      },
      anything,
    );
    return removed.ok ? ok() : removed;
  },
};

async function find(
  session: Session,
  item: PublishItem,
): Promise<Result<PublishedPart | null, PlatformFailureCode>> {
  const found = await ask(
    session,
    dialect,
    {
      method: 'GET',
      path: '/xrpc/com.atproto.repo.getRecord',
      query: keyOf(session, item),
      effect: 'read',
    },
    storedRecord,
    (words) => (words.code === 'RecordNotFound' ? ok(null) : undefined),
  );
  if (!found.ok) return found;
  if (!found.value) return ok(null);
  if (found.value.value.createdAt !== item.createdAt.toISOString()) {
    return refuse('platform.outcome_unknown', 'Another post stands where this one belongs.');
  }
  return ok(part(found.value));
}

/** The place is taken by a record of other content: by an attempt whose mentions resolved differently, most likely. */
async function earlierAttempt(
  session: Session,
  item: PublishItem,
): Promise<Result<PublishedPart, PlatformFailureCode>> {
  const found = await find(session, item);
  if (!found.ok) return found;
  return found.value
    ? ok(found.value)
    : refuse('platform.refused', 'Bluesky refused the post and does not have it either. Try again.');
}

const keyOf = (session: Session, item: PublishItem) => ({
  repo: session.account.id,
  collection: COLLECTION,
  rkey: recordKey(item.reference, item.createdAt),
});

function part({ uri, cid }: { uri: string; cid: string }): PublishedPart {
  const [, , did, , rkey] = uri.split('/');
  return { externalId: uri, url: `https://bsky.app/profile/${did}/post/${rkey}`, receipt: { uri, cid } };
}
