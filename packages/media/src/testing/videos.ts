import {
  BufferTarget,
  EncodedPacket,
  EncodedVideoPacketSource,
  MovOutputFormat,
  Mp4OutputFormat,
  Output,
  WebMOutputFormat,
} from 'mediabunny';

const containers = {
  mp4: () => new Mp4OutputFormat({ fastStart: false }),
  fastStart: () => new Mp4OutputFormat({ fastStart: 'in-memory' }),
  mov: () => new MovOutputFormat(),
  webm: () => new WebMOutputFormat(),
};

/** A video whose pictures are noise, as far as a container tells: ten of them a second. */
export async function video(container: keyof typeof containers, seconds = 2): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: containers[container](), target });
  const source = new EncodedVideoPacketSource('vp9');
  output.addVideoTrack(source);
  await output.start();
  for (let nth = 0; nth < seconds * 10; nth++) {
    const picture = new Uint8Array(2000).fill(nth);
    await source.add(new EncodedPacket(picture, nth % 10 === 0 ? 'key' : 'delta', nth / 10, 0.1), {
      decoderConfig: { codec: 'vp09.00.10.08', codedWidth: 640, codedHeight: 360 },
    });
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}
