import { createHash } from 'node:crypto';
import type {
  CardImage,
  Downloads,
  FittedImage,
  LinkCard,
  LinkPreviews,
  LinkPreviewTurn,
  MediaBytes,
  MediaTools,
} from '@switchboard/domain';
import { decodeHtml } from './decode-html.js';
import { pageFacts, type PageFacts } from './page-facts.js';
import { tidy } from './tidy.js';

/** For the page, and once more for its picture. */
const WITHIN_SECONDS = 4;
/** What a page says of itself stands at its beginning. */
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

interface Ports {
  readonly downloads: Downloads;
  readonly mediaTools: Pick<MediaTools, 'recognize' | 'fitImage'>;
  /** How long is waited for the page, and for its picture. */
  readonly withinSeconds?: number | undefined;
}

type Page = Pick<LinkCard, 'title' | 'description'> & { readonly imageUrl: string | null };

/** Reads the page itself. Where it leads, and where its picture lies, is judged by `Downloads` as every address is. */
export function linkPreviews({ downloads, mediaTools, withinSeconds = WITHIN_SECONDS }: Ports): LinkPreviews {
  const open = (url: string, accept: string, signal: AbortSignal) =>
    downloads.open({ url, accept, deadlineSeconds: withinSeconds, signal });

  async function page(url: string, signal: AbortSignal): Promise<Page | null> {
    const found = await open(url, 'text/html, application/xhtml+xml', signal);
    if (found.kind !== 'opened' || !/^(text\/html|application\/xhtml\+xml)\b/i.test(found.type)) return null;
    const facts = pageFacts(decodeHtml(await beginning(found.bytes, PAGE_BYTES_MAX), found.type));
    const title = tidy(facts.title ?? '', TITLE_MAX);
    if (title === '') return null;
    const description = tidy(facts.description ?? '', DESCRIPTION_MAX);
    return { title, description, imageUrl: imageUrl(facts, found.url) };
  }

  async function image(url: string, turn: LinkPreviewTurn): Promise<CardImage | null> {
    const { signal } = turn;
    const found = await open(url, 'image/*', signal);
    if (found.kind !== 'opened') return null;
    const bytes = await beginning(found.bytes, IMAGE_BYTES_MAX + 1);
    const type = await mediaTools.recognize(bytes.subarray(0, 4096));
    if (bytes.length > IMAGE_BYTES_MAX || !type?.startsWith('image/')) return null;
    const fitting = await mediaTools.fitImage(bytesIn(bytes), imageLimits, turn);
    switch (fitting.kind) {
      case 'fits':
        return cardImage({ ...fitting, bytes });
      case 'fitted':
        return cardImage(fitting.image);
      default:
        return null;
    }
  }

  return {
    async find(url, { workspaceId, signal }) {
      const found = await withTimeout((until) => page(url, until), signal);
      if (!found) return null;
      const { title, description, imageUrl: at } = found;
      const picture =
        at === null ? null : withTimeout((until) => image(at, { workspaceId, signal: until }), signal);
      return { url, title, description, image: await picture };
    },
  };

  /** What comes of it, or nothing: when it fails, and when the time is over. */
  async function withTimeout<Value>(
    work: (until: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value | null> {
    const until = AbortSignal.any([signal, AbortSignal.timeout(withinSeconds * 1000)]);
    const { promise: over, resolve } = Promise.withResolvers<null>();
    until.addEventListener('abort', () => resolve(null), { once: true });
    if (until.aborted) return null;
    return Promise.race([work(until).catch(() => null), over]);
  }
}

/** As much as there is of the first `max` bytes; the rest is not fetched. */
async function beginning(stream: AsyncIterable<Uint8Array>, max: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    size += piece.length;
    if (size >= max) break;
  }
  return Buffer.concat(pieces).subarray(0, max);
}

/** Only what is somewhere on the web: a page may also hold its picture itself, as `data:`. */
function imageUrl({ image, base }: PageFacts, pageUrl: string): string | null {
  const from = base !== null && URL.canParse(base, pageUrl) ? new URL(base, pageUrl).href : pageUrl;
  if (image === null || !URL.canParse(image, from)) return null;
  const url = new URL(image, from);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}

const bytesIn = (bytes: Buffer): MediaBytes => ({
  bytes: bytes.length,
  async *read({ start, end }) {
    yield bytes.subarray(start, end + 1);
  },
});

const cardImage = ({ bytes, type, width, height }: FittedImage): CardImage => ({
  type,
  width,
  height,
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  async *read(range) {
    yield range ? bytes.subarray(range.start, range.end + 1) : bytes;
  },
});
