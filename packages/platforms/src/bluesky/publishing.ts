import {
  ok,
  refuse,
  type Result,
  type PlatformFailureCode,
  type PublishedPart,
  type Publishing,
  type PublishItem,
  type Session,
} from '@switchboard/platform-kit';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { anyResponse, nullIfCode, type AdapterResult } from '@switchboard/platform-kit/platform-client';
import { embedOf, type Embed } from './embed.js';
import { postUrlOf } from './post-url-of.js';
import { recordKey } from './record-key.js';
import { finalText, rules, langsOf } from './rules.js';
import { createUploader, type BlobUploader } from './upload.js';
import { exists, requestJson, storedRecord, writtenRecord, resolvedHandle } from './wire.js';
import { utf8Bytes } from '@switchboard/platform-kit/counting/utf8-bytes';
import { findRanges, type TextRange } from './find-ranges.js';

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

  exists(session, { externalId }) {
    const query = { repo: session.account.id, collection: COLLECTION, rkey: externalId.split('/').at(-1) };
    return exists(session, { path: RECORD_PATH, query }, storedRecord, nullIfNoRecord);
  },

  async remove(session, { externalId }) {
    const rkey = externalId?.split('/').at(-1);
    if (!rkey) return ok();
    const removed = await requestJson(
      session,
      {
        method: 'POST',
        path: '/xrpc/com.atproto.repo.deleteRecord',
        json: { repo: session.account.id, collection: COLLECTION, rkey },
        effect: 'idempotent',
      },
      anyResponse,
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
  const request = { path: RECORD_PATH, query: recordKeyOf(session, item) };
  const found = await requestJson(session, request, storedRecord, nullIfNoRecord);
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
  return { externalId: uri, url: postUrlOf(uri), receipt: { uri, cid } };
}

const COLLECTION = 'app.bsky.feed.post';
const RECORD_PATH = '/xrpc/com.atproto.repo.getRecord';
const nullIfNoRecord = nullIfCode('RecordNotFound');

/** Builds the record of a post. The same item always builds the same record. */
function recordOf(item: PublishItem, facets: readonly Facet[], embed: Embed | null) {
  const langs = langsOf(item);
  return {
    $type: COLLECTION,
    text: finalText(item),
    createdAt: item.createdAt.toISOString(),
    ...(facets.length > 0 && { facets }),
    ...(langs.length > 0 && { langs }),
    ...(embed && { embed }),
    ...(item.replyTo && {
      reply: { root: strongRef(item.replyTo.root), parent: strongRef(item.replyTo.parent) },
    }),
  };
}

/** A reply names its parent by URI and content ID. */
function strongRef({ externalId: uri, receipt }: PublishedPart) {
  const cid = receipt['cid'];
  if (cid === undefined) throw new Error('a part that was published has no content id');
  return { uri, cid };
}

/** `app.bsky.richtext.facet`: the annotations of a range of text. */
export interface Facet {
  readonly index: { readonly byteStart: number; readonly byteEnd: number };
  readonly features: readonly [Readonly<Record<'$type', string> & Record<string, string>>];
}

/**
 * The facets of a text. A handle that does not resolve stays text; a server that cannot be reached fails the
 * post before anything is sent.
 */
async function facetsOf(
  session: Session,
  text: string,
  link: string | null,
): AdapterResult<readonly Facet[]> {
  const ranges = findRanges(text, link);
  const dids = new Map<string, string | null>();
  for (const range of ranges) {
    if (range.kind !== 'mention' || dids.has(range.handle)) continue;
    const did = await resolveHandle(session, range.handle);
    if (!did.ok) return did;
    dids.set(range.handle, did.value);
  }
  return ok(ranges.flatMap((range) => facetOf(text, range, dids)));
}

async function resolveHandle(session: Session, handle: string): AdapterResult<string | null> {
  const resolved = await requestJson(
    session,
    { path: '/xrpc/com.atproto.identity.resolveHandle', query: { handle } },
    resolvedHandle,
    nullIfCode('InvalidRequest', 'HandleNotFound'),
  );
  return resolved.ok ? ok(resolved.value?.did ?? null) : resolved;
}

function facetOf(text: string, range: TextRange, dids: ReadonlyMap<string, string | null>): Facet[] {
  const index = {
    byteStart: utf8Bytes(text.slice(0, range.start)),
    byteEnd: utf8Bytes(text.slice(0, range.end)),
  };
  const facet = (type: string, value: Record<string, string>): Facet[] => [
    { index, features: [{ $type: `app.bsky.richtext.facet#${type}`, ...value }] },
  ];
  switch (range.kind) {
    case 'link':
      return facet('link', { uri: range.uri });
    case 'tag':
      return facet('tag', { tag: range.tag });
    case 'mention': {
      const did = dids.get(range.handle);
      return did ? facet('mention', { did }) : [];
    }
  }
}
