import { ok, refuse, type Result } from '@switchboard/domain';
import type {
  PlatformFailureCode,
  PublishedPart,
  Publishing,
  PublishItem,
  Session,
} from '@switchboard/domain/ports';
import { openReceipt } from '../kit/part-receipt.js';
import { requestJson, type AdapterResult } from '../kit/platform-client.js';
import { embedOf } from './embed.js';
import { facetsOf, type Facet } from './facets.js';
import { recordKey } from './record-key.js';
import { COLLECTION, recordOf } from './record.js';
import { finalText, rules } from './rules.js';
import { createUploader, type BlobUploader } from './upload.js';
import { anything, errorMapping, storedRecord, writtenRecord } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    const facets = await facetsOf(session, finalText(item), item.link);
    if (!facets.ok) return facets;
    const receipt = openReceipt(item, saveReceipt);
    const upload = createUploader(session, receipt);
    const written = await write(session, item, facets.value, upload);
    if (written !== 'files_gone') return written;
    // Nothing was written: the files uploaded by an earlier attempt have been deleted since.
    await receipt.replace({});
    const again = await write(session, item, facets.value, upload);
    return again === 'files_gone'
      ? refuse('platform.refused', 'Bluesky cannot find the files that were just uploaded. Retry.')
      : again;
  },

  find,

  async remove(session, { externalId }) {
    const rkey = externalId?.split('/').at(-1);
    if (!rkey) return ok();
    const removed = await requestJson(
      session,
      errorMapping,
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
  upload: BlobUploader,
): Promise<Result<PublishedPart, PlatformFailureCode> | 'files_gone'> {
  const embed = await embedOf(item, upload);
  if (!embed.ok) return embed;
  const written = await requestJson(
    session,
    errorMapping,
    {
      method: 'POST',
      path: '/xrpc/com.atproto.repo.putRecord',
      json: {
        ...recordKeyOf(session, item),
        record: recordOf(item, facets, embed.value),
        swapRecord: null, // create only: an identical record returns 200, any other is refused
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
  return written.value === 'taken' ? findEarlierAttempt(session, item) : ok(part(written.value));
}

async function find(session: Session, item: PublishItem): AdapterResult<PublishedPart | null> {
  const found = await requestJson(
    session,
    errorMapping,
    {
      method: 'GET',
      path: '/xrpc/com.atproto.repo.getRecord',
      query: recordKeyOf(session, item),
      effect: 'read',
    },
    storedRecord,
    (words) => (words.code === 'RecordNotFound' ? ok(null) : undefined),
  );
  if (!found.ok) return found;
  if (!found.value) return ok(null);
  if (found.value.value.createdAt !== item.createdAt.toISOString()) {
    return refuse('platform.outcome_unknown', 'Another record exists under the key of this post.');
  }
  return ok(part(found.value));
}

/**
 * The key has a record with other content: most likely of an attempt whose mentions resolved differently.
 */
async function findEarlierAttempt(session: Session, item: PublishItem): AdapterResult<PublishedPart> {
  const found = await find(session, item);
  if (!found.ok) return found;
  return found.value
    ? ok(found.value)
    : refuse('platform.refused', 'Bluesky refused the post and does not have it. Retry.');
}

const recordKeyOf = (session: Session, item: PublishItem) => ({
  repo: session.account.id,
  collection: COLLECTION,
  rkey: recordKey(item.reference, item.createdAt),
});

function part({ uri, cid }: { uri: string; cid: string }): PublishedPart {
  const [, , did, , rkey] = uri.split('/');
  return { externalId: uri, url: `https://bsky.app/profile/${did}/post/${rkey}`, receipt: { uri, cid } };
}
