import { ok, refuse, type Session } from '@switchboard/domain';
import { z } from 'zod';
import { requestJson, type ErrorMapping, type AdapterResult } from './platform-client.js';
import { multipart, type FormFile } from './multipart.js';
import { uploadTimeoutSeconds } from './upload-timeout-seconds.js';

export interface PresignedUpload {
  /** The platform's name. */
  readonly name: string;
  /** The place that the platform told, and what it told to say there. */
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: FormFile;
}

/** Sends a file to a place at Amazon S3 that a platform lent for a while, without the login. Nobody sees it there. */
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
    // Whoever came late, or too slowly, is lent another place.
    ({ code }) =>
      code === 'EntityTooLarge'
        ? undefined
        : refuse('platform.unavailable', `The place that ${name} lent for the file was not open any more.`),
  );
  return sent.ok ? ok() : sent;
}

/** It says no in XML. */
const s3ErrorMapping = (name: string): ErrorMapping => ({
  name,
  parseError({ body }) {
    const [, code, message] =
      /<Code>([^<]*)<\/Code>\s*<Message>([^<]*)<\/Message>/.exec(new TextDecoder().decode(body)) ?? [];
    return message === undefined ? null : { code, message };
  },
  classify: () => 'platform.refused',
});
