import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { ReceivedRequest, WireResponse } from '@switchboard/simulators';

const COLLECTION = 'app.bsky.feed.post';
/** The PDS default. */
export const FILE_BYTES_MAX = 5 * 1024 * 1024;

interface UploadedFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const postCounts = { likeCount: 3, replyCount: 2, repostCount: 4, quoteCount: 1 };

const ok = (json: unknown): WireResponse => ({ status: 200, json });
const xrpcFailure = (error: string, message: string): WireResponse => ({
  status: 400,
  json: { error, message },
});

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

const strongRef = z.strictObject({ uri: z.string().startsWith('at://'), cid: z.string().min(1) });
const blob = (type: RegExp, maxSize: number) =>
  z.strictObject({
    $type: z.literal('blob'),
    ref: z.strictObject({ $link: z.string() }),
    mimeType: z.string().regex(type),
    size: z.int().max(maxSize),
  });
const aspectRatio = z.strictObject({ width: z.int().min(1), height: z.int().min(1) }).optional();
const embed = z.discriminatedUnion('$type', [
  z.strictObject({
    $type: z.literal('app.bsky.embed.images'),
    images: z
      .array(z.strictObject({ image: blob(/^image\//, 2_000_000), alt: z.string(), aspectRatio }))
      .max(4),
  }),
  z.strictObject({
    $type: z.literal('app.bsky.embed.video'),
    video: blob(/^video\/mp4$/, 300_000_000),
    alt: z.string().optional(),
    aspectRatio,
  }),
  z.strictObject({
    $type: z.literal('app.bsky.embed.external'),
    external: z.strictObject({
      uri: z.url(),
      title: z.string(),
      description: z.string(),
      thumb: blob(/^image\//, 1_000_000).optional(),
    }),
  }),
]);

/** The lexicon of a post, as far as the PDS was observed to enforce it. */
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
  embed: embed.optional(),
  reply: z.strictObject({ root: strongRef, parent: strongRef }).optional(),
});
export type PostRecord = z.infer<typeof postRecord>;
const putRecordInput = z.object({
  repo: z.string(),
  collection: z.literal(COLLECTION),
  rkey: z.string().regex(/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/),
  record: z.record(z.string(), z.unknown()),
  swapRecord: z.string().nullish(),
});
const filesOf = (record: unknown): readonly string[] =>
  [...JSON.stringify(record).matchAll(/"\$link":"([^"]+)"/g)].map(([, cid = '']) => cid);
const key = z.object({ repo: z.string(), collection: z.string(), rkey: z.string() });

/** One account's repository, and an app view's data about it. */
export function repository(did: string, handles: ReadonlyMap<string, string>) {
  const records = new Map<string, Record<string, unknown>>();
  const files = new Map<string, Uint8Array>();
  let created = 0;
  let uploads = 0;
  const uriOf = (rkey: string) => `at://${did}/${COLLECTION}/${rkey}`;
  const cidOf = (record: unknown) =>
    `bafyrei${createHash('sha256').update(JSON.stringify(record)).digest('hex')}`;

  const methods: Record<string, (query: URLSearchParams, body: unknown, file: UploadedFile) => WireResponse> =
    {
      'com.atproto.server.describeServer': () => ok({ did: 'did:web:test', blobUploadLimit: FILE_BYTES_MAX }),

      'com.atproto.repo.uploadBlob': (_query, _body, { type: mimeType, bytes }) => {
        if (bytes.length > FILE_BYTES_MAX) {
          return { status: 413, json: { error: 'PayloadTooLarge', message: 'request entity too large' } };
        }
        uploads++;
        const $link = `bafkrei${createHash('sha256').update(bytes).digest('hex')}`;
        files.set($link, bytes);
        return ok({ blob: { $type: 'blob', ref: { $link }, mimeType, size: bytes.length } });
      },

      'com.atproto.server.getSession': () => ok({ did, handle: 'test.example', active: true }),

      'com.atproto.identity.resolveHandle': (query) => {
        const found = handles.get(query.get('handle') ?? '');
        return found ? ok({ did: found }) : xrpcFailure('HandleNotFound', 'Unable to resolve handle');
      },

      'com.atproto.repo.putRecord': (_query, body) => {
        const { rkey, record, swapRecord } = putRecordInput.parse(body);
        const valid = postRecord.safeParse(record);
        if (!valid.success)
          return xrpcFailure('InvalidRequest', `Invalid ${COLLECTION} record: ${valid.error.message}`);
        const [uri, current] = [uriOf(rkey), records.get(uriOf(rkey))];
        if (current && cidOf(current) === cidOf(record)) return ok({ uri, cid: cidOf(record) });
        if (current && swapRecord === null)
          return xrpcFailure('InvalidSwap', `Record was at ${cidOf(current)}`);
        const missing = filesOf(record).find((file) => !files.has(file));
        if (missing) return xrpcFailure('BlobNotFound', `Could not find blob: ${missing}`);
        if (!current) created++;
        records.set(uri, record);
        return ok({ uri, cid: cidOf(record), validationStatus: 'valid' });
      },

      'com.atproto.repo.getRecord': (query) => {
        const uri = uriOf(query.get('rkey') ?? '');
        const value = records.get(uri);
        return value
          ? ok({ uri, cid: cidOf(value), value })
          : xrpcFailure('RecordNotFound', `Could not locate record: ${uri}`);
      },

      'com.atproto.repo.deleteRecord': (_query, body) => {
        records.delete(uriOf(key.parse(body).rkey));
        return ok({});
      },

      'app.bsky.feed.getAuthorFeed': (query) => {
        const size = Number(query.get('limit') ?? 50);
        const from = Number(query.get('cursor') ?? 0);
        const posts = [...records]
          .filter(([, record]) => query.get('filter') !== 'posts_no_replies' || record['reply'] === undefined)
          .sort(([, a], [, b]) => String(b['createdAt']).localeCompare(String(a['createdAt'])));
        const feed = posts.slice(from, from + size).map(([uri, record]) => ({
          post: {
            uri,
            cid: cidOf(record),
            author: { did, handle: 'test.example' },
            record,
            indexedAt: record['createdAt'],
            ...postCounts,
          },
        }));
        return ok({ feed, ...(from + size < posts.length && { cursor: String(from + size) }) });
      },

      'app.bsky.feed.getPosts': (query) => {
        const uris = query.getAll('uris').filter((uri) => records.has(uri));
        return ok({
          posts: uris.map((uri) => ({ uri, ...postCounts })),
        });
      },

      'app.bsky.actor.getProfile': () =>
        ok({ did, handle: 'test.example', displayName: 'Test', followersCount: 12 }),
    };

  return {
    created: () => created,
    uploads: () => uploads,
    fileOf: (cid: string) => files.get(cid),
    /** Deletes the files that no record references, as the server does after some time. */
    collectGarbage() {
      const named = new Set([...records.values()].flatMap(filesOf));
      for (const cid of files.keys()) if (!named.has(cid)) files.delete(cid);
    },
    recordOf: (uri: string) => records.get(uri),
    call({ path, query, body, bytes, headers }: ReceivedRequest): WireResponse {
      const method = methods[path.replace('/xrpc/', '')];
      const file = { type: headers['content-type'] ?? '', bytes };
      return method ? method(query, body, file) : { status: 501, json: { error: 'MethodNotImplemented' } };
    },
  };
}
