import type { PublishedPart, PublishItem } from '@switchboard/domain/ports';
import type { Embed } from './embed.js';
import type { Facet } from './facets.js';
import { finalText, langsOf } from './rules.js';

export const COLLECTION = 'app.bsky.feed.post';

/** Builds the record of a post. The same item always builds the same record. */
export function recordOf(item: PublishItem, facets: readonly Facet[], embed: Embed | null) {
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
