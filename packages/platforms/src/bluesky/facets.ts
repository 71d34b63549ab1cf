import { ok } from '@switchboard/domain';
import type { Session } from '@switchboard/domain/ports';
import { requestJson, type AdapterResult } from '../kit/platform-client.js';
import { utf8Bytes } from '../kit/counting/utf8-bytes.js';
import { findRanges, type TextRange } from './find-ranges.js';
import { errorMapping, resolvedHandle } from './wire.js';

/** `app.bsky.richtext.facet`: the annotations of a range of text. */
export interface Facet {
  readonly index: { readonly byteStart: number; readonly byteEnd: number };
  readonly features: readonly [Readonly<Record<'$type', string> & Record<string, string>>];
}

/**
 * The facets of a text. A handle that does not resolve stays text; a server that cannot be reached fails the
 * post before anything is sent.
 */
export async function facetsOf(
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
    errorMapping,
    { method: 'GET', path: '/xrpc/com.atproto.identity.resolveHandle', query: { handle }, effect: 'read' },
    resolvedHandle,
    (words) => (words.code === 'InvalidRequest' || words.code === 'HandleNotFound' ? ok(null) : undefined),
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
