import { createHash } from 'node:crypto';
import { okResponse, fieldsOf, textOf, textsOf, type WireResponse } from '../wire/exchange.js';
import { uploadProcessing } from '../wire/processing.js';
import type { RoutedRequest } from '../wire/routes.js';
import { sha256Of } from '../wire/sha256.js';
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
  waitsLeft: number;
}

const MIB = 1024 * 1024;
const PIECE_BYTES = 4 * MIB;
const HOURS_MS = 3_600_000;
const rules: Readonly<Record<AssetKind, { readonly types: readonly string[]; readonly maxBytes: number }>> = {
  image: { types: ['image/jpeg', 'image/png', 'image/gif'], maxBytes: 5 * MIB },
  video: { types: ['application/octet-stream', 'video/mp4'], maxBytes: 500 * MIB },
  document: { types: ['application/pdf'], maxBytes: 100_000_000 },
};

const openUploads = (now: () => Date) => ({
  now,
  all: new Map<string, UploadAsset>(),
  processing: uploadProcessing(),
  origin: 'https://www.linkedin.com',
  pieceBytes: PIECE_BYTES,
  unnoticedPolls: 0,
});
type Uploads = ReturnType<typeof openUploads>;

function begin(uploads: Uploads, kind: AssetKind, owner: string, body: unknown): WireResponse {
  const { all, now, origin, pieceBytes } = uploads;
  const size = fieldsOf(fieldsOf(body)['initializeUploadRequest'])['fileSizeBytes'];
  if (kind === 'video' && typeof size !== 'number') return illegalArgument('fileSizeBytes is required');
  const bytes = typeof size === 'number' ? size : 0;
  if (bytes > rules[kind].maxBytes) return badInput(400, 'FIELD_VALUE_TOO_HIGH', 'The file is too large.');
  const id = `D4E10AQ${String(all.size + 1).padStart(6, '0')}`;
  const urn = `urn:li:${kind}:${id}`;
  all.set(urn, { kind, urn, owner, bytes, pieces: new Map(), file: null, waitsLeft: 0 });
  const ends = now().getTime() + 24 * HOURS_MS;
  const addressOf = (start: number) =>
    `${origin}/dms-uploads/sp/v2/${id}/uploaded-${kind}/${start}?ca=vector_feedshare&cn=uploads&v=beta`;
  if (kind !== 'video')
    return okResponse({ value: { uploadUrlExpiresAt: ends, uploadUrl: addressOf(0), [kind]: urn } });
  const count = Math.max(1, Math.ceil(bytes / pieceBytes));
  const uploadInstructions = Array.from({ length: count }, (_, at) => ({
    uploadUrl: addressOf(at * pieceBytes),
    firstByte: at * pieceBytes,
    lastByte: Math.min((at + 1) * pieceBytes, bytes) - 1,
  }));
  const value = { uploadUrlsExpireAt: ends, video: urn, uploadInstructions };
  return okResponse({ value: { ...value, uploadToken: '', thumbnailUploadUrl: '' } });
}

function put(uploads: Uploads, { params, headers, body }: RoutedRequest<null>): WireResponse {
  const found = uploads.all.get(`urn:li:${params['kind']}:${params['id']}`);
  if (!found || !(body instanceof Uint8Array)) return { status: 404 };
  const type = textOf(headers['content-type']);
  const { types, maxBytes } = rules[found.kind];
  if (!types.includes(type) || body.length > maxBytes) {
    return { status: 400, json: { message: 'This file cannot be taken.', status: 400 } };
  }
  const tag = `/ambry-video/signedId/${createHash('sha256').update(body).digest('base64url')}`;
  found.pieces.set(Number(params['start']), { tag, type, content: body });
  if (found.kind !== 'video') settle(uploads, found, body, type);
  return { status: found.kind === 'video' ? 200 : 201, headers: { etag: `"${tag}"` } };
}

/** Videos and documents are processed asynchronously. */
function settle(
  { processing, unnoticedPolls }: Uploads,
  asset: UploadAsset,
  content: Uint8Array,
  type: string,
) {
  asset.file = { urn: asset.urn, type, sha256: sha256Of(content) };
  asset.waitsLeft = unnoticedPolls;
  if (asset.kind !== 'image') processing.start(asset.urn);
}

function finish(uploads: Uploads, body: unknown, mayUse: (owner: string) => boolean): WireResponse {
  const requested = fieldsOf(fieldsOf(body)['finalizeUploadRequest']);
  const found = uploads.all.get(textOf(requested['video']));
  if (!found || !mayUse(found.owner)) return notFound('The video');
  if (typeof requested['uploadToken'] !== 'string') return illegalArgument('uploadToken is required');
  const pieces = [...found.pieces].sort(([a], [b]) => a - b).map(([, piece]) => piece);
  const tags = textsOf(requested['uploadedPartIds']);
  const content = Buffer.concat(pieces.map((piece) => piece.content));
  if (content.length !== found.bytes || tags.join() !== pieces.map(({ tag }) => tag).join()) {
    return illegalArgument('uploadedPartIds are not the parts of the video');
  }
  settle(uploads, found, content, 'video/mp4');
  return { status: 200 };
}

const STATUSES = { processing: 'PROCESSING', failed: 'PROCESSING_FAILED', ready: 'AVAILABLE' } as const;

function show({ all, processing }: Uploads, urn: string): WireResponse {
  const found = all.get(urn);
  if (!found) return notFound('The asset');
  const isUnnoticed = !found.file || found.waitsLeft-- > 0;
  const status = isUnnoticed ? 'WAITING_UPLOAD' : STATUSES[processing.poll(urn)];
  return okResponse({ id: urn, owner: found.owner, status });
}

/**
 * Uploads according to the Images, Videos and Documents API: initialized over the API, sent to a LinkedIn
 * URL, videos in parts of four megabytes that are finalized by their ETags.
 */
export function uploadRoutes(now: () => Date) {
  const uploads = openUploads(now);
  const { all, processing } = uploads;
  return {
    begin: (kind: AssetKind, owner: string, body: unknown) => begin(uploads, kind, owner, body),
    put: (request: RoutedRequest<null>) => put(uploads, request),
    finish: (body: unknown, mayUse: (owner: string) => boolean) => finish(uploads, body, mayUse),
    show: (urn: string) => show(uploads, urn),
    ownerOf: (urn: string) => all.get(urn)?.owner ?? null,
    /** The asset that a post of this author may use; null: unknown. */
    chosen(urn: string, author: string): UploadedFile | null {
      const found = all.get(urn);
      return found?.owner === author && !processing.fails(urn) ? found.file : null;
    },
    /** LinkedIn discards all uploads. */
    forget: () => all.clear(),
    /** The number of initialized uploads. */
    begun: () => all.size,
    /** The upload origin from now on. */
    setOrigin: (at: string) => void (uploads.origin = at),
    /** The size of video parts from now on. */
    setPieceBytes: (bytes: number) => void (uploads.pieceBytes = bytes),
    /** The number of polls that do not see an uploaded file yet from now on. */
    setUnnoticedPolls: (polls: number) => void (uploads.unnoticedPolls = polls),
    setProcessingPolls: processing.setProcessingPolls,
    setProcessingFails: processing.setProcessingFails,
  };
}

export type UploadRoutes = ReturnType<typeof uploadRoutes>;
