import { createHash } from 'node:crypto';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { invalid, problem } from './problems.js';

export interface XMedia {
  readonly id: string;
  readonly key: string;
  readonly accountId: string;
  readonly type: string;
  readonly category: string;
  readonly totalBytes: number;
  readonly chunks: ReadonlyMap<number, Uint8Array>;
  readonly sha256: string | null;
  readonly altText: string | null;
  readonly endsAtMs: number;
}

const SEGMENT_BYTES_MAX = 5 * 1024 * 1024;
const SESSION_SECONDS = 86_400;
const ALT_TEXT_MAX = 1_000;
const MIB = 1024 * 1024;

/** The accepted types and sizes by category. */
const categories: Readonly<Record<string, { readonly types: readonly string[]; readonly maxBytes: number }>> =
  {
    tweet_image: { types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'], maxBytes: 5 * MIB },
    tweet_gif: { types: ['image/gif'], maxBytes: 15 * MIB },
    tweet_video: { types: ['video/mp4', 'video/quicktime'], maxBytes: 8_192 * MIB },
  };

/** The prefix of a media key. */
const KEYS: Readonly<Record<string, string>> = { tweet_image: '3', tweet_gif: '16', tweet_video: '13' };

/** Chunked uploads according to docs.x.com (packages/platforms/src/x/NOTES.md). */
export function mediaRoutes(now: () => Date) {
  const all = new Map<string, XMedia>();
  const pollsLeft = new Map<string, number>();
  const failed = new Set<string>();
  let [takes, fails, uploads] = [0, false, 0];

  const mine = (accountId: string, id: string) => {
    const found = all.get(id);
    return found?.accountId === accountId && found.endsAtMs > now().getTime() ? found : null;
  };
  const expired = invalid('media_id', 'The media id is not valid, or has expired.');

  function initialize(accountId: string, body: unknown): WireResponse {
    const fields = fieldsOf(body);
    const [type, category] = [textOf(fields['media_type']), textOf(fields['media_category'])];
    const totalBytes = fields['total_bytes'];
    const rules = categories[category];
    if (!rules) return invalid('media_category', `[${category}] is not one of the categories.`);
    if (typeof totalBytes !== 'number') return invalid('total_bytes', 'total_bytes is required.');
    if (!rules.types.includes(type)) return invalid('media_type', `${type} is not of ${category}.`);
    if (totalBytes > rules.maxBytes) return invalid('total_bytes', 'File size exceeds the limit.');
    uploads++;
    const id = String(1_880_028_106_020_515_840n + BigInt(all.size));
    const key = `${KEYS[category] ?? ''}_${id}`;
    const endsAtMs = now().getTime() + SESSION_SECONDS * 1_000;
    const chunks = new Map<number, Uint8Array>();
    all.set(id, {
      id,
      key,
      accountId,
      type,
      category,
      totalBytes,
      chunks,
      endsAtMs,
      sha256: null,
      altText: null,
    });
    return okResponse({ data: { id, media_key: key, expires_after_secs: SESSION_SECONDS } });
  }

  function append(accountId: string, id: string, body: unknown): WireResponse {
    const found = mine(accountId, id);
    if (!found || found.sha256 !== null) return expired;
    const fields = fieldsOf(body);
    const index = Number(textOf(fields['segment_index']) || NaN);
    const file = fields['media'] as FormFile | undefined;
    if (!Number.isInteger(index) || index < 0 || index > 999) {
      return invalid('segment_index', 'segment_index is from 0 to 999.');
    }
    if (!file || file.bytes.length > SEGMENT_BYTES_MAX) return invalid('media', 'media is at most 5 MB.');
    all.set(id, { ...found, chunks: new Map([...found.chunks, [index, file.bytes]]) });
    return okResponse({ data: { expires_at: Math.floor(found.endsAtMs / 1_000) } });
  }

  function finalize(accountId: string, id: string): WireResponse {
    const found = mine(accountId, id);
    if (!found) return expired;
    if (found.sha256 === null) {
      const pieces = [...found.chunks].sort(([a], [b]) => a - b);
      const whole = Buffer.concat(pieces.map(([, bytes]) => bytes));
      const inOrder = pieces.every(([index], at) => index === at);
      if (!inOrder || whole.length !== found.totalBytes) {
        return invalid('media_id', 'Segments do not add up to provided total file size.');
      }
      const sha256 = createHash('sha256').update(whole).digest('hex');
      all.set(id, { ...found, sha256, chunks: new Map() });
      if (found.category !== 'tweet_image') pollsLeft.set(id, takes);
      if (fails) failed.add(id);
    }
    return shown(id);
  }

  function shown(id: string): WireResponse {
    const found = all.get(id) as XMedia;
    const remaining = pollsLeft.get(id) ?? 0;
    const state = remaining > 0 ? 'pending' : failed.has(id) ? 'failed' : 'succeeded';
    const isLater = found.category !== 'tweet_image' || state === 'failed';
    return okResponse({
      data: {
        id,
        media_key: found.key,
        size: found.totalBytes,
        expires_after_secs: SESSION_SECONDS,
        ...(isLater && {
          processing_info: {
            state,
            ...(state === 'pending' && { check_after_secs: 1 }),
            ...(state === 'failed' && {
              error: { code: 1, name: 'InvalidMedia', message: 'Unsupported video format' },
            }),
          },
        }),
      },
    });
  }

  function status(accountId: string, query: URLSearchParams): WireResponse {
    const id = query.get('media_id') ?? '';
    const found = query.get('command') === 'STATUS' ? mine(accountId, id) : null;
    if (!found || found.sha256 === null) return expired;
    pollsLeft.set(id, Math.max(0, (pollsLeft.get(id) ?? 0) - 1));
    return shown(id);
  }

  function describe(accountId: string, body: unknown): WireResponse {
    const fields = fieldsOf(body);
    const found = mine(accountId, textOf(fields['id']));
    if (!found) return expired;
    if (found.category === 'tweet_video') return invalid('id', 'A video has no alternative text.');
    const text = textOf(fieldsOf(fieldsOf(fields['metadata'])['alt_text'])['text']);
    if (text === '' || [...text].length > ALT_TEXT_MAX) return invalid('alt_text', 'alt_text is too long.');
    all.set(found.id, { ...found, altText: text });
    return okResponse({ data: { id: found.id, associated_metadata: { alt_text: { text } } } });
  }

  return {
    serve({ method, path, query, body }: WireRequest, accountId: string): WireResponse | null {
      const [, id = '', step = ''] = /^\/2\/media\/upload\/(\d+)\/(append|finalize)$/.exec(path) ?? [];
      if (`${method} ${path}` === 'POST /2/media/upload/initialize') return initialize(accountId, body);
      if (method === 'POST' && step === 'append') return append(accountId, id, body);
      if (method === 'POST' && step === 'finalize') return finalize(accountId, id);
      if (`${method} ${path}` === 'GET /2/media/upload') return status(accountId, query);
      if (`${method} ${path}` === 'POST /2/media/metadata') return describe(accountId, body);
      return null;
    },
    /** The media of a post, or the error. */
    chosen(accountId: string, ids: readonly string[]): readonly XMedia[] | WireResponse {
      const found = ids.flatMap((id) => mine(accountId, id) ?? []);
      const ready = found.filter(
        ({ id, sha256 }) => sha256 !== null && !failed.has(id) && (pollsLeft.get(id) ?? 0) === 0,
      );
      if (ready.length < ids.length) return invalid('media.media_ids', 'Your media IDs are invalid.');
      const alone = ready.filter(({ category }) => category !== 'tweet_image');
      if (ready.length > 4 || (alone.length > 0 && ready.length > 1)) {
        return problem(400, 'Invalid Request', 'A post has four photos, or one GIF, or one video.');
      }
      return ready;
    },
    /** The number of started uploads. */
    uploads: () => uploads,
    /** The number of polls after which videos and GIFs are ready from now on. */
    setProcessingPolls: (polls: number) => void (takes = polls),
    /** Whether processing of uploads fails from now on. */
    setProcessingFails: (does: boolean) => void (fails = does),
  };
}

export type MediaRoutes = ReturnType<typeof mediaRoutes>;
