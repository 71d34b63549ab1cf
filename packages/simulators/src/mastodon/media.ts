import type { FormFile } from '../wire/read-multipart.js';
import { fieldsOf, refusal, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import type { MastodonAttachment, MediaStore, MediaType } from './media-store.js';
import { presentAttachment, type InstanceLimits } from './present.js';

interface MediaWorld {
  readonly origin: () => string;
  readonly media: MediaStore;
  readonly limits: () => InstanceLimits;
}

const failed = refusal(422, 'Error processing thumbnail for uploaded media');
const unverified = refusal(422, 'File type of uploaded media could not be verified');
const invalidType = refusal(422, 'Validation failed: File content type is invalid, File is invalid');

/** `POST /api/v2/media` and `GET /api/v1/media/:id`, for an authorized account. */
export function instanceMedia({ origin, media, limits }: MediaWorld) {
  const shown = (status: number, one: MastodonAttachment, isReady: boolean): WireResponse => ({
    status,
    json: presentAttachment(origin(), one, isReady),
  });

  function upload(accountId: string, { body }: WireRequest): WireResponse {
    const fields = fieldsOf(body);
    const file = fileIn(fields['file']);
    if (!file) return refusal(422, "Validation failed: File can't be blank");
    const description = textOf(fields['description']).trim();
    const { imageSizeLimit, videoSizeLimit, descriptionLimit, types } = limits();
    if (!types.includes(file.type)) return invalidType;
    const type = typeOf(file.type);
    const sizeLimit = file.type.startsWith('image/') ? imageSizeLimit : videoSizeLimit;
    if (file.bytes.length >= sizeLimit) {
      const size = humanSize(sizeLimit);
      const sentence = `File file size must be less than ${size}, File must be less than ${size}`;
      return refusal(422, `Validation failed: ${sentence}`);
    }
    if ([...description].length > descriptionLimit) {
      const sentence = `Description is too long (maximum is ${descriptionLimit} characters)`;
      return refusal(422, `Validation failed: ${sentence}`);
    }
    const { fileName, type: contentType } = file;
    const created = media.add(
      { accountId, type, contentType, fileName, description: description || null },
      file.bytes,
    );
    // Only asynchronous processing can fail later.
    if (type === 'image' && !media.isReady(created.id)) return unverified;
    return shown(type === 'image' ? 200 : 202, created, type === 'image');
  }

  function look(accountId: string, id: string): WireResponse {
    const found = media.find(id);
    if (found?.accountId !== accountId || media.isAttached(id)) return refusal(404, 'Record not found');
    const state = media.poll(id);
    if (state === 'failed') return failed;
    return shown(state === 'ready' ? 200 : 206, found, state === 'ready');
  }

  return {
    upload,
    look,
    /** The attachments of a status, or the error (`PostStatusService#validate_media!`). */
    chosen(accountId: string, ids: readonly string[]): readonly MastodonAttachment[] | WireResponse {
      const { attachmentsMax } = limits();
      if (ids.length > attachmentsMax) return refusal(422, `Cannot attach more than ${attachmentsMax} files`);
      const found = ids.flatMap((id) => {
        const one = media.find(id);
        return one?.accountId === accountId && !media.isAttached(id) ? [one] : [];
      });
      const missing = ids.filter((id) => !found.some((one) => one.id === id));
      if (missing.length > 0) {
        return refusal(422, `Media ${missing.join(', ')} not found or already attached to another post`);
      }
      if (found.length > 1 && found.some(({ type }) => type === 'video')) {
        return refusal(422, 'Cannot attach a video to a post that already contains images');
      }
      return found.every(({ id }) => media.isReady(id))
        ? found
        : refusal(422, 'Cannot attach files that have not finished processing. Try again in a moment!');
    },
  };
}

export type InstanceMedia = ReturnType<typeof instanceMedia>;

function fileIn(value: unknown): FormFile | null {
  return typeof value === 'object' && value !== null && 'bytes' in value ? (value as FormFile) : null;
}

/** Every GIF counts as animated. */
function typeOf(contentType: string): MediaType {
  if (contentType === 'image/gif') return 'gifv';
  return contentType.startsWith('video/') ? 'video' : 'image';
}

const humanSize = (bytes: number): string =>
  bytes >= 1_048_576 ? `${Math.round(bytes / 1_048_576)} MB` : `${Math.round(bytes / 1_024)} KB`;
