import type { PublishedPart, Session } from '@switchboard/platform-kit';
import { z } from 'zod';
import { requestGraph } from './graph.js';

/** A post or a comment, with its URL. */
export const graphPart = (externalId: string, url: string | null | undefined): PublishedPart => ({
  externalId,
  url: url ?? null,
  receipt: {},
});

/** A newly published post, with its URL. It is published: without a reported URL the result has none. */
export async function fetchPublishedPart(
  session: Session,
  name: string,
  id: string,
  field: 'permalink' | 'permalink_url' = 'permalink',
): Promise<PublishedPart> {
  const place = z.object({ [field]: z.string().nullish() });
  const request = { path: `/${encodeURIComponent(id)}`, query: { fields: field } };
  const result = await requestGraph(session, name, request, place);
  return graphPart(id, result.ok ? result.value[field] : null);
}
