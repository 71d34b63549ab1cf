import { expect, test } from '@jest/globals';
import type { PlatformBody } from '@switchboard/domain/ports';
import { multipart, type FormFile } from './multipart.js';

type Stream = Extract<PlatformBody, { length: number }>;

const fileOf = (bytes: Uint8Array, more: Partial<FormFile> = {}): FormFile => ({
  name: 'file',
  fileName: 'cat.jpg',
  type: 'image/jpeg',
  bytes: bytes.length,
  async *read() {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
  },
  ...more,
});

async function sent(form: Stream): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of form.stream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Parsed by the parser of browsers and of Node.js, which is independent of the code under test. */
const understood = async (form: Stream) =>
  new Response(new Uint8Array(await sent(form)), { headers: { 'content-type': form.type } }).formData();

test('fields and file arrive unchanged, with any content', async () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, at) => at % 256);
  const description = 'A "cat" 🐈\r\n--\r\nContent-Disposition: form-data; name="file"\n\nand no more';
  const form = await understood(multipart({ description, empty: '' }, fileOf(bytes)));
  expect([...form.keys()]).toEqual(['description', 'empty', 'file']);
  expect(form.get('description')).toBe(description);
  expect(form.get('empty')).toBe('');
  const file = form.get('file') as File;
  expect([file.name, file.type]).toEqual(['cat.jpg', 'image/jpeg']);
  expect(Buffer.compare(await file.bytes(), bytes)).toBe(0);
});

test('several files arrive in order and unchanged', async () => {
  const sizes = [0, 3, 5_000];
  const files = sizes.map((size, at) => fileOf(new Uint8Array(size).fill(at), { name: `files[${at}]` }));
  const form = multipart({ payload: '{}' }, ...files);
  const understandable = await understood(form);
  expect([...understandable.keys()]).toEqual(['payload', 'files[0]', 'files[1]', 'files[2]']);
  expect(sizes.map((_, at) => (understandable.get(`files[${at}]`) as File).size)).toEqual(sizes);
  expect((await sent(form)).length).toBe(form.length);
});

test('an empty file is sent as a file', async () => {
  const form = await understood(multipart({}, fileOf(new Uint8Array())));
  expect((form.get('file') as File).size).toBe(0);
});

test.each(['"; name="other', 'a\r\nContent-Type: text/html\r\n\r\n<script>', 'naïve 🐈.jpg'])(
  'the file name %j cannot inject a header or part',
  async (fileName) => {
    const form = await understood(multipart({}, fileOf(Buffer.from('x'), { fileName })));
    expect([...form.keys()]).toEqual(['file']);
    const file = form.get('file') as File;
    expect([file.name, file.type]).toEqual([fileName, 'image/jpeg']);
  },
);

test('has the declared length in bytes and can be restarted', async () => {
  const form = multipart({ description: 'naïve 🐈' }, fileOf(Buffer.from('abc')));
  const first = await sent(form);
  expect(first.length).toBe(form.length);
  expect(await sent(form)).toEqual(first);
});

test('boundaries differ between forms, so that the content of one cannot end another', () => {
  const types = Array.from({ length: 100 }, () => multipart({}, fileOf(Buffer.from('x'))).type);
  expect(new Set(types).size).toBe(100);
});

test('a file is read as it is sent, and no further', async () => {
  let pieces = 0;
  const piece = new Uint8Array(64 * 1024);
  const huge = multipart(
    {},
    {
      ...fileOf(piece, { bytes: 1_000_000 * piece.length }),
      async *read() {
        for (; pieces < 1_000_000; pieces++) yield piece;
      },
    },
  );
  const stream = huge.stream()[Symbol.asyncIterator]();
  await stream.next();
  expect(pieces).toBe(0);
  for (let at = 0; at < 3; at++) await stream.next();
  expect(pieces).toBe(2);
  await stream.return?.();
});
