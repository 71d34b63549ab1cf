import { ok, refuse, type Session } from '@switchboard/domain';
import { z } from 'zod';
import { ask, type Dialect, type Answer } from './answers.js';
import { multipart, type FormFile } from './multipart.js';
import { uploadSeconds } from './upload-seconds.js';

export interface StoredForm {
  /** The platform's name. */
  readonly name: string;
  /** The place that the platform told, and what it told to say there. */
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly file: FormFile;
}

/** Sends a file to a place at Amazon S3 that a platform lent for a while, without the login. Nobody sees it there. */
export async function sendToStore(
  session: Session,
  { name, path, fields, file }: StoredForm,
): Answer<undefined> {
  const sent = await ask(
    session,
    storeOf(name),
    {
      method: 'POST',
      path,
      bare: true,
      effect: 'idempotent',
      body: multipart(fields, file),
      deadlineSeconds: uploadSeconds(file.bytes),
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
const storeOf = (name: string): Dialect => ({
  name,
  words({ body }) {
    const [, code, message] =
      /<Code>([^<]*)<\/Code>\s*<Message>([^<]*)<\/Message>/.exec(new TextDecoder().decode(body)) ?? [];
    return message === undefined ? null : { code, message };
  },
  meaning: () => 'platform.refused',
});
