import { randomUUID } from 'node:crypto';
import type { PlatformBody, PublishMedia } from '@switchboard/domain';

/** A file of a form: under which name it goes, and what it is. */
export interface FormFile extends Pick<PublishMedia, 'fileName' | 'type' | 'bytes' | 'read'> {
  readonly name: string;
}

/**
 * A form with a file (RFC 7578) that is read while it is sent: of any size, and never whole in memory. The fields come
 * first, so that a server knows them before it takes the file in.
 */
export function multipart(
  fields: Readonly<Record<string, string>>,
  file: FormFile,
): Extract<PlatformBody, { length: number }> {
  // By chance, so that no field and no file can hold it.
  const boundary = `form-${randomUUID()}`;
  const head = utf8(
    [
      ...Object.entries(fields).flatMap(([name, value]) => [
        `--${boundary}`,
        `Content-Disposition: form-data; name="${quoted(name)}"`,
        '',
        value,
      ]),
      `--${boundary}`,
      `Content-Disposition: form-data; name="${quoted(file.name)}"; filename="${quoted(file.fileName)}"`,
      `Content-Type: ${quoted(file.type)}`,
      '',
      '',
    ].join('\r\n'),
  );
  const tail = utf8(`\r\n--${boundary}--\r\n`);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: head.length + file.bytes + tail.length,
    async *stream() {
      yield head;
      yield* file.read();
      yield tail;
    },
  };
}

/** What would end a name is escaped as browsers do it (https://html.spec.whatwg.org/#multipart-form-data). */
const quoted = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const encoder = new TextEncoder();
const utf8 = (text: string): Uint8Array => encoder.encode(text);
