import { randomUUID } from 'node:crypto';
import type { PlatformBody, PublishMedia } from '@switchboard/domain/ports';

/** A file of a form: its field name and its content. */
export interface FormFile extends Pick<PublishMedia, 'fileName' | 'type' | 'bytes' | 'read'> {
  readonly name: string;
}

/**
 * A form with files (RFC 7578) that are streamed: of any size, never buffered in memory. The fields come
 * first, so that a server has them before it receives a file.
 */
export function multipart(
  fields: Readonly<Record<string, string>>,
  ...files: readonly FormFile[]
): Extract<PlatformBody, { length: number }> {
  // Random, so that no field and no file can contain it.
  const boundary = `form-${randomUUID()}`;
  const stated = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`,
  );
  const headOf = ({ name, fileName, type }: FormFile) =>
    [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${quoted(name)}"; filename="${quoted(fileName)}"`,
      `Content-Type: ${quoted(type)}`,
      '',
      '',
    ].join('\r\n');
  const parts = files.map((file) => ({ file, head: utf8(headOf(file)) }));
  const [head, end, tail] = [utf8(stated.join('')), utf8('\r\n'), utf8(`--${boundary}--\r\n`)];
  const inParts = parts.reduce((sum, part) => sum + part.head.length + part.file.bytes + end.length, 0);
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: head.length + inParts + tail.length,
    async *stream() {
      if (head.length > 0) yield head;
      for (const part of parts) {
        yield part.head;
        yield* part.file.read();
        yield end;
      }
      yield tail;
    },
  };
}

/**
 * Characters that would end a name are escaped as browsers do
 * (https://html.spec.whatwg.org/#multipart-form-data).
 */
const quoted = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const encoder = new TextEncoder();
const utf8 = (text: string): Uint8Array => encoder.encode(text);
