import { okResponse, fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import type { Bearer } from '../wire/oauth-server.js';
import { uploadProcessing } from '../wire/processing.js';
import type { FormFile } from '../wire/read-multipart.js';
import type { Routes, RoutedRequest } from '../wire/routes.js';
import { sha256Of } from '../wire/sha256.js';
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

const STATES = { processing: 'pending', failed: 'failed', ready: 'succeeded' } as const;

const expired = invalid('media_id', 'The media id is not valid, or has expired.');

export function xMediaStore(now: () => Date) {
  const all = new Map<string, XMedia>();
  const { start, stateOf, poll, ...controls } = uploadProcessing();

  const find = (accountId: string, id: string): XMedia | null => {
    const found = all.get(id);
    return found?.accountId === accountId && found.endsAtMs > now().getTime() ? found : null;
  };

  return {
    find,
    stateOf,
    poll,
    ...controls,
    begin(accountId: string, type: string, category: string, totalBytes: number): XMedia {
      const id = String(1_880_028_106_020_515_840n + BigInt(all.size));
      const key = `${KEYS[category] ?? ''}_${id}`;
      const endsAtMs = now().getTime() + SESSION_SECONDS * 1_000;
      const begun = { id, key, accountId, type, category, totalBytes, endsAtMs };
      const created = { ...begun, chunks: new Map(), sha256: null, altText: null };
      all.set(id, created);
      return created;
    },
    change: (media: XMedia): void => void all.set(media.id, media),
    process: ({ id, category }: XMedia) => start(id, category !== 'tweet_image'),
    /** The media of a post, or the error. */
    chosen(accountId: string, ids: readonly string[]): readonly XMedia[] | WireResponse {
      const found = ids.flatMap((id) => find(accountId, id) ?? []);
      const ready = found.filter((one) => one.sha256 !== null && stateOf(one.id) === 'ready');
      if (ready.length < ids.length) return invalid('media.media_ids', 'Your media IDs are invalid.');
      const alone = ready.filter(({ category }) => category !== 'tweet_image');
      if (ready.length > 4 || (alone.length > 0 && ready.length > 1)) {
        return problem(400, 'Invalid Request', 'A post has four photos, or one GIF, or one video.');
      }
      return ready;
    },
    /** The number of started uploads. */
    uploads: () => all.size,
  };
}

type XMediaStore = ReturnType<typeof xMediaStore>;

interface MediaState {
  readonly media: XMediaStore;
}
type MediaRequest = RoutedRequest<Bearer>;

/** Chunked uploads according to docs.x.com (packages/platforms/src/x/NOTES.md). */
export const mediaRoutes: Routes<MediaState, Bearer> = {
  'POST /2/media/upload/initialize': initialize,
  'POST /2/media/upload/:id/append': append,
  'POST /2/media/upload/:id/finalize': finalize,
  'GET /2/media/upload': readStatus,
  'POST /2/media/metadata': describe,
};

function initialize({ media }: MediaState, { owner, body }: MediaRequest): WireResponse {
  const fields = fieldsOf(body);
  const [type, category] = [textOf(fields['media_type']), textOf(fields['media_category'])];
  const totalBytes = fields['total_bytes'];
  const rules = categories[category];
  if (!rules) return invalid('media_category', `[${category}] is not one of the categories.`);
  if (typeof totalBytes !== 'number') return invalid('total_bytes', 'total_bytes is required.');
  if (!rules.types.includes(type)) return invalid('media_type', `${type} is not of ${category}.`);
  if (totalBytes > rules.maxBytes) return invalid('total_bytes', 'File size exceeds the limit.');
  const { id, key } = media.begin(owner.account, type, category, totalBytes);
  return okResponse({ data: { id, media_key: key, expires_after_secs: SESSION_SECONDS } });
}

function append({ media }: MediaState, { owner, params, body }: MediaRequest): WireResponse {
  const found = media.find(owner.account, params['id'] ?? '');
  if (!found || found.sha256 !== null) return expired;
  const fields = fieldsOf(body);
  const index = Number(textOf(fields['segment_index']) || NaN);
  const file = fields['media'] as FormFile | undefined;
  if (!Number.isInteger(index) || index < 0 || index > 999) {
    return invalid('segment_index', 'segment_index is from 0 to 999.');
  }
  if (!file || file.bytes.length > SEGMENT_BYTES_MAX) return invalid('media', 'media is at most 5 MB.');
  media.change({ ...found, chunks: new Map([...found.chunks, [index, file.bytes]]) });
  return okResponse({ data: { expires_at: Math.floor(found.endsAtMs / 1_000) } });
}

function finalize({ media }: MediaState, { owner, params }: MediaRequest): WireResponse {
  const found = media.find(owner.account, params['id'] ?? '');
  if (!found) return expired;
  if (found.sha256 !== null) return presentUpload(media, found);
  const pieces = [...found.chunks].sort(([a], [b]) => a - b);
  const whole = Buffer.concat(pieces.map(([, bytes]) => bytes));
  const inOrder = pieces.every(([index], at) => index === at);
  if (!inOrder || whole.length !== found.totalBytes) {
    return invalid('media_id', 'Segments do not add up to provided total file size.');
  }
  const finalized = { ...found, sha256: sha256Of(whole), chunks: new Map() };
  media.change(finalized);
  media.process(finalized);
  return presentUpload(media, finalized);
}

function readStatus({ media }: MediaState, { owner, query }: MediaRequest): WireResponse {
  const id = query.get('media_id') ?? '';
  const found = query.get('command') === 'STATUS' ? media.find(owner.account, id) : null;
  if (!found || found.sha256 === null) return expired;
  media.poll(found.id);
  return presentUpload(media, found);
}

function describe({ media }: MediaState, { owner, body }: MediaRequest): WireResponse {
  const fields = fieldsOf(body);
  const found = media.find(owner.account, textOf(fields['id']));
  if (!found) return expired;
  if (found.category === 'tweet_video') return invalid('id', 'A video has no alternative text.');
  const text = textOf(fieldsOf(fieldsOf(fields['metadata'])['alt_text'])['text']);
  if (text === '' || [...text].length > ALT_TEXT_MAX) return invalid('alt_text', 'alt_text is too long.');
  media.change({ ...found, altText: text });
  return okResponse({ data: { id: found.id, associated_metadata: { alt_text: { text } } } });
}

function presentUpload(media: XMediaStore, found: XMedia): WireResponse {
  const state = STATES[media.stateOf(found.id)];
  const error = { code: 1, name: 'InvalidMedia', message: 'Unsupported video format' };
  const processing_info = {
    state,
    ...(state === 'pending' && { check_after_secs: 1 }),
    ...(state === 'failed' && { error }),
  };
  const isAsynchronous = found.category !== 'tweet_image' || state === 'failed';
  return okResponse({
    data: {
      id: found.id,
      media_key: found.key,
      size: found.totalBytes,
      expires_after_secs: SESSION_SECONDS,
      ...(isAsynchronous && { processing_info }),
    },
  });
}
