import { okResponse, fieldsOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { uploadProcessing } from '../wire/processing.js';
import type { FormFile } from '../wire/read-multipart.js';
import { sha256Of } from '../wire/sha256.js';
import type { PinnedFile } from './pin-store.js';
import { invalid, problem } from './problems.js';

interface RegisteredMedia {
  readonly id: string;
  readonly accountId: string;
  readonly parameters: Readonly<Record<string, string>>;
  file: PinnedFile | null;
}

export interface S3Error {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const s3ErrorResponse = ({ status, code, message }: S3Error): WireResponse => ({
  status,
  xml: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`,
});

const PATH = '/pinterest-media-upload/';

/** The fields of the upload form. */
const formOf = (accountId: string, id: string) => ({
  'x-amz-date': '20261122T090000Z',
  'x-amz-signature': `signature-of-${id}`,
  'x-amz-security-token': 'token-of-the-store',
  'x-amz-algorithm': 'AWS4-HMAC-SHA256',
  key: `uploads/17/4d/be/2:video:${accountId}:${id}`,
  policy: 'eyJjb25kaXRpb25zIjpbXX0=',
  'x-amz-credential': 'KEY/20261122/us-east-1/s3/aws4_request',
  'Content-Type': 'multipart/form-data',
});

const STATUSES = { processing: 'processing', failed: 'failed', ready: 'succeeded' } as const;

/**
 * Videos: registered, uploaded to third-party storage, processed (packages/platforms/src/pinterest/NOTES.md).
 */
export function mediaRoutes() {
  const all = new Map<string, RegisteredMedia>();
  const { start, stateOf, poll, ...controls } = uploadProcessing();
  let [vanishes, refusal] = [false, null as S3Error | null];
  let origin = 'https://pinterest-media-upload.s3-accelerate.amazonaws.com';

  function register(accountId: string, body: unknown): WireResponse {
    if (fieldsOf(body)['media_type'] !== 'video') return invalid('Invalid media_type.');
    const id = String(5_258_848_560_742_447_767n + BigInt(all.size));
    const parameters = formOf(accountId, id);
    all.set(id, { id, accountId, parameters, file: null });
    const json = {
      media_id: id,
      media_type: 'video',
      upload_url: origin + PATH,
      upload_parameters: parameters,
    };
    return { status: 201, json };
  }

  /** The storage accepts a form that contains all issued fields unchanged, followed by the file. */
  function upload({ headers, body }: WireRequest): WireResponse {
    const fields = fieldsOf(body);
    const names = Object.keys(fields);
    const found = [...all.values()].find(({ parameters }) => parameters.key === fields['key']);
    const isSigned =
      found && Object.entries(found.parameters).every(([name, value]) => fields[name] === value);
    const file = fields['file'] as FormFile | undefined;
    // The issued form must not contain additional conditions.
    if (headers['authorization'] !== undefined || !isSigned || !file || names.at(-1) !== 'file') {
      return s3ErrorResponse({ status: 403, code: 'AccessDenied', message: 'Access Denied' });
    }
    if (refusal) return s3ErrorResponse(refusal);
    if (vanishes) return { status: 204 };
    found.file = { type: file.type, sha256: sha256Of(file.bytes) };
    start(found.id);
    return { status: 204 };
  }

  function look(accountId: string, id: string): WireResponse {
    const found = all.get(id);
    if (found?.accountId !== accountId) return problem(404, 2_060, 'Media not found.');
    const status = found.file ? STATUSES[poll(id)] : 'registered';
    return okResponse({ media_id: id, media_type: 'video', status });
  }

  return {
    register,
    look,
    upload,
    /** The video of a pin; null when none is ready. */
    readyVideo(accountId: string, id: string): PinnedFile | null {
      const found = all.get(id);
      return found?.accountId === accountId && stateOf(id) === 'ready' ? found.file : null;
    },
    registered: () => all.size,
    ...controls,
    /** Whether files accepted by the storage never reach Pinterest from now on. */
    setUploadsVanish: (does: boolean) => void (vanishes = does),
    /** The storage's error for every video from now on; null: it accepts them. */
    setUploadError: (stated: S3Error | null) => void (refusal = stated),
    /** The origin of the storage. */
    setOrigin: (url: string) => void (origin = url),
    /** Pinterest discards uploads that no pin uses. */
    forget: () => all.clear(),
  };
}

export type PinterestMediaRoutes = ReturnType<typeof mediaRoutes>;
