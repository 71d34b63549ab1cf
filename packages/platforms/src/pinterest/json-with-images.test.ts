import { expect, test } from '@jest/globals';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { jsonWithImages } from './json-with-images.js';

async function written(body: ReturnType<typeof jsonWithImages>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body.stream()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** An image that arrives in chunks of any length. */
const inPieces = (content: Uint8Array, length: number) => ({
  bytes: content.length,
  async *read() {
    for (let at = 0; at < content.length; at += length) yield content.subarray(at, at + length);
  },
});

test.each([1, 2, 3, 4, 7, 1_000])(
  'an image that is read in chunks of %d bytes is in the JSON unchanged, and the length is known before',
  async (length) => {
    for (const bytes of [1, 2, 3, 100, 101, 102]) {
      const content = Uint8Array.from({ length: bytes }, (_, at) => (at * 7) % 256);
      const body = jsonWithImages([inPieces(content, length)], (places) => ({ places, said: '"ü"' }));
      const text = await written(body);
      expect(text.length).toBe(body.length);
      expect(JSON.parse(text.toString())).toMatchObject({
        places: [{ data: Buffer.from(content).toString('base64') }],
        said: '"ü"',
      });
    }
  },
);

test('several images are in their own places, and again in a repeated request', async () => {
  const images = [imageOf(), imageOf(), imageOf()];
  const body = jsonWithImages(images, (places) => places.map(({ data }) => data).toReversed());
  const requested = images.map(({ content }) => Buffer.from(content).toString('base64')).toReversed();
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(JSON.parse((await written(body)).toString())).toEqual(requested);
  }
});
