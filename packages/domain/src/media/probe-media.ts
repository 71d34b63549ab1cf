import type { Call } from '../call.js';
import type { Ports } from '../ports/index.js';
import type { ProblemCode } from '../reason-codes.js';
import { isFetchable } from './add-media-from-url.js';
import { classifyDownloadFailure } from './fetch-media.js';
import { kindOfMedia, maxBytesOf, type MediaFacts } from './media.js';
import { HEAD_BYTES, SUPPORTED_TYPES } from './store-media.js';

/** What the first bytes behind a URL say about the media. */
export type MediaProbe =
  | { readonly kind: 'usable'; readonly facts: MediaFacts }
  /** Downloading it again would not help. */
  | { readonly kind: 'unusable'; readonly code: ProblemCode; readonly message: string }
  /** It could not be checked in time. */
  | { readonly kind: 'unchecked' };

/** By URL. */
export type MediaProbes = ReadonlyMap<string, MediaProbe>;

type ProbePorts = Pick<Ports, 'downloads' | 'mediaTools'>;

/** From the first name lookup to the last of the first bytes. All URLs are fetched concurrently. */
const BUDGET_SECONDS = 3;
/** More URLs of one call are not checked. */
const URLS_MAX = 20;

/** Fetches the first bytes of each URL. Nothing is stored. */
export async function probeMedia(
  ports: ProbePorts,
  { signal }: Pick<Call, 'signal'>,
  urls: readonly string[],
): Promise<MediaProbes> {
  const distinct = [...new Set(urls)].filter(isFetchable);
  const probes = await Promise.all(
    distinct.map(async (url, index) => {
      const probe = index < URLS_MAX ? await probeUrl(ports, url, signal).catch(() => unchecked) : unchecked;
      return [url, probe] as const;
    }),
  );
  return new Map(probes);
}

const unchecked: MediaProbe = { kind: 'unchecked' };
const unusable = (code: ProblemCode, message: string): MediaProbe => ({ kind: 'unusable', code, message });

async function probeUrl(
  { downloads, mediaTools }: ProbePorts,
  url: string,
  signal: AbortSignal,
): Promise<MediaProbe> {
  const opened = await downloads.open({ url, deadlineSeconds: BUDGET_SECONDS, signal });
  if (opened.kind !== 'opened') {
    const failure = classifyDownloadFailure(opened);
    return failure.kind === 'failed' ? unusable(failure.error.code, failure.error.message) : unchecked;
  }
  const type = await mediaTools.detectType(await readHead(opened.bytes));
  if (type === null)
    return unusable('media.type_unsupported', `The file is not supported. ${SUPPORTED_TYPES}`);
  const { length } = opened;
  if (length !== null && length > maxBytesOf(type)) {
    const message = `A file of this kind (${kindOfMedia(type)}) may have at most ${maxBytesOf(type)} bytes; this one has ${length}.`;
    return unusable('media.too_large', message);
  }
  const unknown = { width: null, height: null, durationSeconds: null, animated: false };
  return { kind: 'usable', facts: { ...unknown, type, bytes: length } };
}

/** Stops reading as soon as the type can be detected. */
async function readHead(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const head = new Uint8Array(HEAD_BYTES);
  let size = 0;
  for await (const piece of bytes) {
    const part = piece.subarray(0, HEAD_BYTES - size);
    head.set(part, size);
    size += part.length;
    if (size === HEAD_BYTES) break;
  }
  return head.subarray(0, size);
}
