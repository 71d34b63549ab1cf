import type { ApprovalId, WorkspaceId } from '../../src/ids.js';
import type {
  ApprovalLinks,
  DownloadOutcome,
  Downloads,
  LinkCard,
  LinkPreviews,
  MediaBytes,
  MediaLinks,
  MediaTools,
  Clock,
  DeferredMediaWork,
  ImageLimits,
  MediaProperties,
  InspectionResult,
} from '../../src/ports/index.js';

/**
 * Files that declare their own properties: "image/png 640x480 …", "video/mp4 640x360 12s …", "application/pdf
 * …". A following "broken" makes a file recognized but corrupted, "encrypted" makes it encrypted. Results in
 * `deferred` are returned first.
 */
export function fakeMediaTools(): MediaTools & {
  readonly deferred: DeferredMediaWork['kind'][];
  full: boolean;
} {
  const deferred: DeferredMediaWork['kind'][] = [];
  return {
    deferred,
    full: false,
    detectType: async (head) =>
      /^(image\/(?:png|jpeg|gif)|video\/mp4|application\/pdf) /.exec(new TextDecoder().decode(head))?.[1] ??
      null,
    isFull() {
      return this.full;
    },
    async inspect(type, file) {
      const kind = deferred.shift();
      if (kind) return { kind };
      const text = await readText(file, 100);
      return type === 'application/pdf' ? inspectDocument(text) : inspectionOf(parseProperties(text));
    },
    async fitImage(file, limits) {
      const kind = deferred.shift();
      if (kind) return { kind };
      const text = await readText(file, file.bytes);
      const facts = parseProperties(text);
      const [type = ''] = text.split(' ');
      if (!facts) return { kind: 'impossible' };
      if (isWithinLimits(type, file, facts, limits))
        return { kind: 'fits', type, width: facts.width, height: facts.height };
      const [first = ''] = limits.types;
      const fitted = `${first} 10x10 fitted`;
      if (fitted.length > limits.maxBytes) return { kind: 'impossible' };
      const bytes = new TextEncoder().encode(fitted);
      return { kind: 'fitted', image: { bytes, type: first, width: 10, height: 10 } };
    },
  };
}

async function readText(file: MediaBytes, max: number): Promise<string> {
  let text = '';
  for await (const piece of file.read({ start: 0, end: max - 1 })) text += new TextDecoder().decode(piece);
  return text;
}

const inspectionOf = (facts: MediaProperties | null): InspectionResult =>
  facts === null ? { kind: 'unusable', reason: 'broken' } : { kind: 'inspected', facts };

const isWithinLimits = (type: string, { bytes }: MediaBytes, facts: ImageProperties, limits: ImageLimits) =>
  limits.types.includes(type) &&
  bytes <= limits.maxBytes &&
  facts.width <= (limits.maxWidth ?? Infinity) &&
  facts.height <= (limits.maxHeight ?? Infinity);

function inspectDocument(text: string): InspectionResult {
  if (text.includes('encrypted')) return { kind: 'unusable', reason: 'encrypted' };
  const pages = { width: null, height: null, durationSeconds: null, animated: false };
  return inspectionOf(text.includes('broken') ? null : pages);
}

type ImageProperties = MediaProperties & { readonly width: number; readonly height: number };

function parseProperties(text: string): ImageProperties | null {
  const [, width, height, seconds] = /^\S+ (\d+)x(\d+)(?: (\d+)s)?(?! broken)/.exec(text) ?? [];
  if (width === undefined || height === undefined || text.includes('broken')) return null;
  return {
    width: Number(width),
    height: Number(height),
    durationSeconds: seconds === undefined ? null : Number(seconds),
    animated: text.includes('moves'),
  };
}

/** Unprotected tokens: the ids themselves. */
export const fakeApprovalLinks: ApprovalLinks = {
  urlOf: ({ workspaceId, id }) => `https://switchboard.example/approvals/${workspaceId}.${id}`,
  read(token) {
    const [workspaceId, id] = token.split('.') as [WorkspaceId, ApprovalId | undefined];
    return id === undefined ? null : { workspaceId, id };
  },
};

/** Unprotected tokens: their contents as JSON. */
export function fakeMediaLinks(clock: Clock): MediaLinks & { isPublic: { (): boolean; answer: boolean } } {
  const write = (purpose: string, value: object, expiresAt: Date) =>
    `https://switchboard.example/media/${encodeURIComponent(JSON.stringify({ purpose, value, until: expiresAt.getTime() }))}`;
  function read<Value>(purpose: string, token: string): Value | null {
    const { value, ...rest } = JSON.parse(decodeURIComponent(token)) as {
      purpose: string;
      value: Value;
      until: number;
    };
    return rest.purpose === purpose && rest.until > clock.now().getTime() ? value : null;
  }
  const isPublic = Object.assign(() => isPublic.answer, { answer: true });
  return {
    isPublic,
    publicUrl: (file) => write('download', file, clock.after(3_600_000)),
    uploadUrl: (upload, expiresAt) => write('upload', upload, expiresAt),
    readPublic: (token) => read('download', token),
    readUpload: (token) => read('upload', token),
  };
}

export const openedDownload = (bytes: AsyncIterable<Uint8Array>, length: number | null = null) =>
  ({ kind: 'opened', url: 'https://example.com/', type: '', length, bytes }) satisfies DownloadOutcome;

/** Page metadata by URL; requests are recorded. */
export function fakeLinkPreviews(): LinkPreviews & {
  readonly pages: Map<string, LinkCard>;
  readonly requestedUrls: string[];
} {
  const pages = new Map<string, LinkCard>();
  const asked: string[] = [];
  return {
    pages,
    requestedUrls: asked,
    find: async (url) => {
      asked.push(url);
      return pages.get(url) ?? null;
    },
  };
}

/** A web with only these URLs; requests are recorded. */
export function fakeDownloads(): Downloads & {
  readonly responses: Map<string, () => DownloadOutcome>;
  readonly requestedUrls: string[];
} {
  const web = new Map<string, () => DownloadOutcome>();
  const asked: string[] = [];
  return {
    responses: web,
    requestedUrls: asked,
    open: async ({ url }) => {
      asked.push(url);
      return web.get(url)?.() ?? { kind: 'refused', status: 404 };
    },
  };
}

export async function* chunksOf(text: string, size = 1000): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
