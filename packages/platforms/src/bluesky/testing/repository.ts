import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { SimulatedAnswer } from '../../kit/testing/simulator.js';

const COLLECTION = 'app.bsky.feed.post';

const ok = (json: unknown): SimulatedAnswer => ({ status: 200, json });
const no = (error: string, message: string): SimulatedAnswer => ({ status: 400, json: { error, message } });

const facet = z.object({
  index: z.object({ byteStart: z.int().nonnegative(), byteEnd: z.int().nonnegative() }),
  features: z.array(
    z.looseObject({
      $type: z.string(),
      uri: z
        .string()
        .regex(/^\w+:(?:\/\/)?[^\s/]\S*$/)
        .optional(),
    }),
  ),
});

/** The lexicon of a post, as far as the PDS was seen to hold us to it. */
const postRecord = z.strictObject({
  $type: z.literal(COLLECTION),
  text: z
    .string()
    .refine((text) => Buffer.byteLength(text) <= 3000, 'string too big (maximum 3000)')
    .refine(
      (text) => [...new Intl.Segmenter().segment(text)].length <= 300,
      'grapheme too big (maximum 300)',
    ),
  createdAt: z.iso.datetime(),
  facets: z.array(facet).optional(),
  langs: z.array(z.string()).max(3).optional(),
});
const put = z.object({
  repo: z.string(),
  collection: z.literal(COLLECTION),
  rkey: z.string().regex(/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/),
  record: z.record(z.string(), z.unknown()),
  swapRecord: z.string().nullish(),
});
const key = z.object({ repo: z.string(), collection: z.string(), rkey: z.string() });

/** One account's repository and what an app view would know of it. */
export function repository(did: string, handles: ReadonlyMap<string, string>) {
  const records = new Map<string, Record<string, unknown>>();
  let created = 0;
  const uriOf = (rkey: string) => `at://${did}/${COLLECTION}/${rkey}`;
  const cidOf = (record: unknown) =>
    `bafyrei${createHash('sha256').update(JSON.stringify(record)).digest('hex')}`;

  const methods: Record<string, (query: URLSearchParams, body: unknown) => SimulatedAnswer> = {
    'com.atproto.server.getSession': () => ok({ did, handle: 'test.example', active: true }),

    'com.atproto.identity.resolveHandle': (query) => {
      const found = handles.get(query.get('handle') ?? '');
      return found ? ok({ did: found }) : no('HandleNotFound', 'Unable to resolve handle');
    },

    'com.atproto.repo.putRecord': (_query, body) => {
      const { rkey, record, swapRecord } = put.parse(body);
      const valid = postRecord.safeParse(record);
      if (!valid.success) return no('InvalidRequest', `Invalid ${COLLECTION} record: ${valid.error.message}`);
      const [uri, current] = [uriOf(rkey), records.get(uriOf(rkey))];
      if (current && cidOf(current) === cidOf(record)) return ok({ uri, cid: cidOf(record) });
      if (current && swapRecord === null) return no('InvalidSwap', `Record was at ${cidOf(current)}`);
      if (!current) created++;
      records.set(uri, record);
      return ok({ uri, cid: cidOf(record), validationStatus: 'valid' });
    },

    'com.atproto.repo.getRecord': (query) => {
      const uri = uriOf(query.get('rkey') ?? '');
      const value = records.get(uri);
      return value
        ? ok({ uri, cid: cidOf(value), value })
        : no('RecordNotFound', `Could not locate record: ${uri}`);
    },

    'com.atproto.repo.deleteRecord': (_query, body) => {
      records.delete(uriOf(key.parse(body).rkey));
      return ok({});
    },

    'app.bsky.feed.getPosts': (query) => {
      const uris = query.getAll('uris').filter((uri) => records.has(uri));
      return ok({
        posts: uris.map((uri) => ({ uri, likeCount: 3, replyCount: 2, repostCount: 4, quoteCount: 1 })),
      });
    },

    'app.bsky.actor.getProfile': () =>
      ok({ did, handle: 'test.example', displayName: 'Test', followersCount: 12 }),
  };

  return {
    created: () => created,
    recordOf: (uri: string) => records.get(uri),
    call(path: string, query: URLSearchParams, body: unknown): SimulatedAnswer {
      const method = methods[path.replace('/xrpc/', '')];
      return method ? method(query, body) : { status: 501, json: { error: 'MethodNotImplemented' } };
    },
  };
}
