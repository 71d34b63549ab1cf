import { createHash } from 'node:crypto';
import type {
  CardImage,
  Downloads,
  FittedImage,
  LinkCard,
  LinkPreviews,
  LinkPreviewContext,
  MediaBytes,
  MediaTools,
} from '@switchboard/domain/ports';
import { decodeHtml } from './decode-html.js';
import { parsePageMetadata, type PageMetadata } from './parse-page-metadata.js';
import { sanitizeText } from './sanitize-text.js';

/** For the page, and again for its image. */
const TIMEOUT_SECONDS = 4;
/** Page metadata is at the start of the page. */
const PAGE_BYTES_MAX = 1024 * 1024;
const IMAGE_BYTES_MAX = 10 * 1024 * 1024;
const TITLE_MAX = 300;
const DESCRIPTION_MAX = 1000;
const imageLimits = {
  types: ['image/jpeg', 'image/png', 'image/webp'],
  maxBytes: 1_000_000,
  maxWidth: 2000,
  maxHeight: 2000,
};

interface LinkPreviewPorts {
  readonly downloads: Downloads;
  readonly mediaTools: Pick<MediaTools, 'detectType' | 'fitImage'>;
  /** The time limit for the page, and for its image. */
  readonly timeoutSeconds?: number | undefined;
}

type PagePreview = Pick<LinkCard, 'title' | 'description'> & { readonly imageUrl: string | null };

/**
 * The link preview of a page: its title, description and image. Reads the page itself. `Downloads` checks the
 * page's redirects and its image URL as it checks every address.
 */
export function linkPreviews({
  downloads,
  mediaTools,
  timeoutSeconds = TIMEOUT_SECONDS,
}: LinkPreviewPorts): LinkPreviews {
  const open = (url: string, accept: string, signal: AbortSignal) =>
    downloads.open({ url, accept, deadlineSeconds: timeoutSeconds, signal });

  async function fetchPage(url: string, signal: AbortSignal): Promise<PagePreview | null> {
    const found = await open(url, 'text/html, application/xhtml+xml', signal);
    if (found.kind !== 'opened' || !/^(text\/html|application\/xhtml\+xml)\b/i.test(found.type)) return null;
    const facts = parsePageMetadata(decodeHtml(await readStart(found.bytes, PAGE_BYTES_MAX), found.type));
    const title = sanitizeText(facts.title ?? '', TITLE_MAX);
    if (title === '') return null;
    const description = sanitizeText(facts.description ?? '', DESCRIPTION_MAX);
    return { title, description, imageUrl: resolveImageUrl(facts, found.url) };
  }

  async function fetchImage(url: string, turn: LinkPreviewContext): Promise<CardImage | null> {
    const { signal } = turn;
    const found = await open(url, 'image/*', signal);
    if (found.kind !== 'opened') return null;
    const bytes = await readStart(found.bytes, IMAGE_BYTES_MAX + 1);
    const type = await mediaTools.detectType(bytes.subarray(0, 4096));
    if (bytes.length > IMAGE_BYTES_MAX || !type?.startsWith('image/')) return null;
    const fitting = await mediaTools.fitImage(toMediaBytes(bytes), imageLimits, turn);
    switch (fitting.kind) {
      case 'fits':
        return toCardImage({ ...fitting, bytes });
      case 'fitted':
        return toCardImage(fitting.image);
      default:
        return null;
    }
  }

  return {
    async find(url, { workspaceId, signal }) {
      const found = await withTimeout((until) => fetchPage(url, until), signal);
      if (!found) return null;
      const { title, description, imageUrl: at } = found;
      const imageResult =
        at === null ? null : withTimeout((until) => fetchImage(at, { workspaceId, signal: until }), signal);
      return { url, title, description, image: await imageResult };
    },
  };

  /** The result, or undefined on failure or timeout. */
  async function withTimeout<Value>(
    work: (until: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value | null> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    const { promise: over, resolve } = Promise.withResolvers<null>();
    until.addEventListener('abort', () => resolve(null), { once: true });
    if (until.aborted) return null;
    return Promise.race([work(until).catch(() => null), over]);
  }
}

/** Up to `max` bytes from the start of the stream; the rest is not fetched. */
async function readStart(stream: AsyncIterable<Uint8Array>, max: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    size += piece.length;
    if (size >= max) break;
  }
  return Buffer.concat(pieces).subarray(0, max);
}

/** Only http(s) URLs: a page may also embed its image as a `data:` URL. */
function resolveImageUrl({ image, base }: PageMetadata, pageUrl: string): string | null {
  const from = base !== null && URL.canParse(base, pageUrl) ? new URL(base, pageUrl).href : pageUrl;
  if (image === null || !URL.canParse(image, from)) return null;
  const url = new URL(image, from);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}

const toMediaBytes = (bytes: Buffer): MediaBytes => ({
  bytes: bytes.length,
  async *read({ start, end }) {
    yield bytes.subarray(start, end + 1);
  },
});

const toCardImage = ({ bytes, type, width, height }: FittedImage): CardImage => ({
  type,
  width,
  height,
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  async *read(range) {
    yield range ? bytes.subarray(range.start, range.end + 1) : bytes;
  },
});
