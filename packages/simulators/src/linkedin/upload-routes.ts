import { createHash } from 'node:crypto';
import {
  okResponse,
  fieldsOf,
  textOf,
  textsOf,
  type WireResponse,
  type WireRequest,
} from '../wire/exchange.js';
import { badInput, illegalArgument, notFound } from './errors.js';

/** An uploaded image, video or document. */
export interface UploadedFile {
  readonly urn: string;
  readonly type: string;
  readonly sha256: string;
}

type AssetKind = 'image' | 'video' | 'document';

interface UploadAsset {
  readonly kind: AssetKind;
  readonly urn: string;
  readonly owner: string;
  readonly bytes: number;
  /** The ETags of the received parts, by their first byte. */
  readonly pieces: Map<number, { readonly tag: string; readonly type: string; readonly content: Uint8Array }>;
  file: UploadedFile | null;
  pollsLeft: number;
  waitsLeft: number;
  hasFailed: boolean;
}

const MIB = 1024 * 1024;
const PIECE_BYTES = 4 * MIB;
const HOURS_MS = 3_600_000;
const rules: Readonly<Record<AssetKind, { readonly types: readonly string[]; readonly maxBytes: number }>> = {
  image: { types: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 5 * MIB },
  video: { types: ['application/octet-stream', 'video/mp4'], maxBytes: 500 * MIB },
  document: { types: ['application/pdf'], maxBytes: 100_000_000 },
};

/**
 * Uploads according to the Images, Videos and Documents API: initialized over the API, sent to a LinkedIn
 * URL, videos in parts of four megabytes that are finalized by their ETags.
 */
export function uploadRoutes(now: () => Date) {
  const all = new Map<string, UploadAsset>();
  let [origin, takes, fails, pieceBytes] = ['https://www.linkedin.com', 0, false, PIECE_BYTES];
  let unnoticed = 0;
  const addressOf = ({ kind, urn }: UploadAsset, start: number) =>
    `${origin}/dms-uploads/sp/v2/${urn.split(':').at(-1)}/uploaded-${kind}/${start}?ca=vector_feedshare&cn=uploads&v=beta`;

  function begin(kind: AssetKind, owner: string, body: unknown): WireResponse {
    const requested = fieldsOf(fieldsOf(body)['initializeUploadRequest']);
    const size = requested['fileSizeBytes'];
    if (kind === 'video' && typeof size !== 'number') return illegalArgument('fileSizeBytes is required');
    const bytes = typeof size === 'number' ? size : 0;
    if (bytes > rules[kind].maxBytes) return badInput(400, 'FIELD_VALUE_TOO_HIGH', 'The file is too large.');
    const urn = `urn:li:${kind}:D4E10AQ${String(all.size + 1).padStart(6, '0')}`;
    const created: UploadAsset = {
      kind,
      urn,
      owner,
      bytes,
      pieces: new Map(),
      file: null,
      pollsLeft: 0,
      waitsLeft: 0,
      hasFailed: false,
    };
    all.set(urn, created);
    const ends = now().getTime() + 24 * HOURS_MS;
    if (kind !== 'video')
      return okResponse({
        value: { uploadUrlExpiresAt: ends, uploadUrl: addressOf(created, 0), [kind]: urn },
      });
    const starts = Array.from(
      { length: Math.max(1, Math.ceil(bytes / pieceBytes)) },
      (_, at) => at * pieceBytes,
    );
    const uploadInstructions = starts.map((firstByte) => ({
      uploadUrl: addressOf(created, firstByte),
      firstByte,
      lastByte: Math.min(firstByte + pieceBytes, bytes) - 1,
    }));
    return okResponse({
      value: {
        uploadUrlsExpireAt: ends,
        video: urn,
        uploadInstructions,
        uploadToken: '',
        thumbnailUploadUrl: '',
      },
    });
  }

  function put({ path, headers, body }: WireRequest): WireResponse {
    const [, id = '', kind = '', start = ''] =
      /^\/dms-uploads\/sp\/v2\/(\w+)\/uploaded-(\w+)\/(\d+)$/.exec(path) ?? [];
    const found = all.get(`urn:li:${kind}:${id}`);
    if (!found || !(body instanceof Uint8Array)) return { status: 404 };
    const type = textOf(headers['content-type']);
    const { types, maxBytes } = rules[found.kind];
    if (!types.includes(type) || body.length > maxBytes) {
      return { status: 400, json: { message: 'This file cannot be taken.', status: 400 } };
    }
    const tag = `/ambry-video/signedId/${createHash('sha256').update(body).digest('base64url')}`;
    found.pieces.set(Number(start), { tag, type, content: body });
    if (found.kind !== 'video') settle(found, body, type);
    return { status: found.kind === 'video' ? 200 : 201, headers: { etag: `"${tag}"` } };
  }

  function settle(asset: UploadAsset, content: Uint8Array, type: string): void {
    asset.file = { urn: asset.urn, type, sha256: createHash('sha256').update(content).digest('hex') };
    asset.pollsLeft = asset.kind === 'image' ? 0 : takes;
    asset.waitsLeft = unnoticed;
    asset.hasFailed = asset.kind !== 'image' && fails;
  }

  function finish(body: unknown, mayUse: (owner: string) => boolean): WireResponse {
    const requested = fieldsOf(fieldsOf(body)['finalizeUploadRequest']);
    const found = all.get(textOf(requested['video']));
    if (!found || !mayUse(found.owner)) return notFound('The video');
    if (typeof requested['uploadToken'] !== 'string') return illegalArgument('uploadToken is required');
    const pieces = [...found.pieces].sort(([a], [b]) => a - b).map(([, piece]) => piece);
    const tags = textsOf(requested['uploadedPartIds']);
    const content = Buffer.concat(pieces.map((piece) => piece.content));
    if (content.length !== found.bytes || tags.join() !== pieces.map(({ tag }) => tag).join()) {
      return illegalArgument('uploadedPartIds are not the parts of the video');
    }
    settle(found, content, 'video/mp4');
    return { status: 200 };
  }

  function statusOf(asset: UploadAsset): string {
    if (!asset.file || asset.waitsLeft > 0) return 'WAITING_UPLOAD';
    if (asset.pollsLeft > 0) return 'PROCESSING';
    return asset.hasFailed ? 'PROCESSING_FAILED' : 'AVAILABLE';
  }

  return {
    begin,
    put,
    finish,
    ownerOf: (urn: string) => all.get(urn)?.owner ?? null,
    show(urn: string): WireResponse {
      const found = all.get(urn);
      if (!found) return notFound('The asset');
      const status = statusOf(found);
      if (found.waitsLeft > 0) found.waitsLeft--;
      else found.pollsLeft = Math.max(0, found.pollsLeft - 1);
      return okResponse({ id: urn, owner: found.owner, status });
    },
    /** The asset that a post of this author may use; null: unknown. */
    chosen(urn: string, author: string): UploadedFile | null {
      const found = all.get(urn);
      return found?.owner === author && !found.hasFailed ? found.file : null;
    },
    /** LinkedIn discards all uploads. */
    forget: () => all.clear(),
    /** The number of initialized uploads. */
    begun: () => all.size,
    /** The upload origin from now on. */
    setOrigin: (at: string) => void (origin = at),
    /** The size of video parts from now on. */
    setPieceBytes: (bytes: number) => void (pieceBytes = bytes),
    /** The number of polls after which videos and documents are ready from now on. */
    setProcessingPolls: (polls: number) => void (takes = polls),
    /** The number of polls that do not see an uploaded file yet from now on. */
    setUnnoticedPolls: (polls: number) => void (unnoticed = polls),
    /** Whether processing of videos and documents fails from now on. */
    setProcessingFails: (does: boolean) => void (fails = does),
  };
}

export type UploadRoutes = ReturnType<typeof uploadRoutes>;
