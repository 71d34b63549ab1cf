import { ok, refuse } from '@switchboard/domain';
import type { Session } from '@switchboard/domain/ports';
import { z } from 'zod';
import { requestJson, type ErrorMapping, type AdapterResult } from './platform-client.js';
import { multipart, type FormFile } from './multipart.js';
import { uploadTimeoutSeconds } from './upload-timeout-seconds.js';

interface PresignedUpload {
  readonly name: string;
  /** The presigned URL and the fields that the platform returned for it. */
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: FormFile;
}

/**
 * Uploads a file to a presigned Amazon S3 URL that a platform issued, without the login. The file is not
 * public there.
 */
export async function uploadToPresignedUrl(
  session: Session,
  { name, path, fields, file }: PresignedUpload,
): AdapterResult<undefined> {
  const sent = await requestJson(
    session,
    s3ErrorMapping(name),
    {
      method: 'POST',
      path,
      omitsCredential: true,
      effect: 'idempotent',
      body: multipart(fields, file),
      deadlineSeconds: uploadTimeoutSeconds(file.bytes),
    },
    z.unknown(),
    // An upload that started too late, or was too slow, gets a new presigned URL.
    ({ code }) =>
      code === 'EntityTooLarge'
        ? undefined
        : refuse('platform.unavailable', `The upload URL issued by ${name} has expired.`),
  );
  return sent.ok ? ok() : sent;
}

/** Errors are in XML. */
const s3ErrorMapping = (name: string): ErrorMapping => ({
  name,
  parseError({ body }) {
    const [, code, message] =
      /<Code>([^<]*)<\/Code>\s*<Message>([^<]*)<\/Message>/.exec(new TextDecoder().decode(body)) ?? [];
    return message === undefined ? null : { code, message };
  },
  classify: () => 'platform.refused',
});
