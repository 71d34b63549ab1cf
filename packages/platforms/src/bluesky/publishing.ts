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
import { ask, type Answer } from '../kit/answers.js';
import { embedOf } from './embed.js';
import { facetsOf, type Facet } from './facets.js';
import { recordKey } from './record-key.js';
import { COLLECTION, recordOf } from './record.js';
import { finalText, rules } from './rules.js';
import { uploads, type Upload } from './upload.js';
import { anything, dialect, storedRecord, writtenRecord } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, remember) {
    const facets = await facetsOf(session, finalText(item), item.link);
    if (!facets.ok) return facets;
    const written = await write(session, item, facets.value, uploads(session, item.receipt, remember));
    if (written !== 'files_gone') return written;
    // Nothing was written: what an earlier attempt uploaded has been thrown away since.
    const again = await write(session, item, facets.value, uploads(session, {}, remember));
    return again === 'files_gone'
      ? refuse('platform.refused', 'Bluesky does not find the files that it has just taken. Try again.')
      : again;
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

async function write(
  session: Session,
  item: PublishItem,
  facets: readonly Facet[],
  upload: Upload,
): Promise<Result<PublishedPart, PlatformFailureCode> | 'files_gone'> {
  const embed = await embedOf(item, upload);
  if (!embed.ok) return embed;
  const written = await ask(
    session,
    dialect,
    {
      method: 'POST',
      path: '/xrpc/com.atproto.repo.putRecord',
      json: {
        ...keyOf(session, item),
        record: recordOf(item, facets, embed.value),
        swapRecord: null, // "only where nothing is yet": the same content again is answered 200, anything else refused
      },
      effect: 'write',
    },
    writtenRecord,
    ({ code }) => {
      if (code === 'InvalidSwap') return ok('taken' as const);
      return code === 'BlobNotFound' ? ok('files_gone' as const) : undefined;
    },
  );
  if (!written.ok) return written;
  if (written.value === 'files_gone') return written.value;
  return written.value === 'taken' ? earlierAttempt(session, item) : ok(part(written.value));
}

async function find(session: Session, item: PublishItem): Answer<PublishedPart | null> {
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
async function earlierAttempt(session: Session, item: PublishItem): Answer<PublishedPart> {
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
