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
  fragmented: () => new Mp4OutputFormat({ fastStart: 'fragmented', minimumFragmentDuration: 0.5 }),
  webm: () => new WebMOutputFormat(),
  recorded: () => new WebMOutputFormat({ appendOnly: true }),
};

/** A video with noise as frames, as far as a container reveals: ten frames a second. */
export async function video(
  container: keyof typeof containers,
  seconds = 2,
  rotation: 0 | 90 | 180 = 0,
): Promise<Buffer> {
  const target = new BufferTarget();
  const output = new Output({ format: containers[container](), target });
  const source = new EncodedVideoPacketSource('vp9');
  output.addVideoTrack(source, { rotation });
  await output.start();
  for (let nth = 0; nth < seconds * 10; nth++) {
    const frame = new Uint8Array(2000).fill(nth);
    await source.add(new EncodedPacket(frame, nth % 10 === 0 ? 'key' : 'delta', nth / 10, 0.1), {
      decoderConfig: { codec: 'vp09.00.10.08', codedWidth: 640, codedHeight: 360 },
    });
  }
  await output.finalize();
  return Buffer.from(target.buffer ?? new ArrayBuffer(0));
}

const box = (type: string, ...contents: readonly Buffer[]): Buffer =>
  Buffer.concat(boxParts(type, ...contents));

/** The parts of a box that is not copied: a box around a table of 100 MB is in several others. */
function boxParts(type: string, ...contents: readonly Buffer[]): readonly Buffer[] {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(
    contents.reduce((length, content) => length + content.length, 8),
    0,
  );
  header.write(type, 4, 'latin1');
  return [header, ...contents];
}

const u32 = (...numbers: readonly number[]): Buffer => {
  const out = Buffer.alloc(numbers.length * 4);
  numbers.forEach((number, index) => out.writeUInt32BE(number, index * 4));
  return out;
};
/** A box with version, flags, a count and entries of 32-bit numbers. */
const tableBox = (type: string, count: number, ...entries: readonly Buffer[]) =>
  box(type, u32(0, count), ...entries);

interface Tables {
  readonly stts?: Buffer;
  readonly ctts?: Buffer;
  readonly stsz?: Buffer;
  readonly stsc?: Buffer;
  readonly stco?: Buffer;
}

/** The tables of one sample of ten bytes at the start of the file, with a duration of one second. */
export const oneSample = {
  stts: tableBox('stts', 1, u32(1, 1000)),
  ctts: Buffer.alloc(0),
  stsz: box('stsz', u32(0, 10, 1)),
  stsc: tableBox('stsc', 1, u32(1, 1, 1)),
  stco: tableBox('stco', 1, u32(0)),
};
export const sampleTables = { u32, tableBox };

/** An MP4 of 640 × 360 whose one video track has these tables. */
export function mp4With(tables: Tables): Buffer {
  const { stts, ctts, stsz, stsc, stco } = { ...oneSample, ...tables };
  const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
  const header = (before: number) => Buffer.concat([Buffer.alloc(before), matrix, Buffer.alloc(24)]);
  const mvhd = header(36);
  mvhd.writeUInt32BE(1000, 12);
  const tkhd = header(40);
  tkhd.writeUInt32BE(1, 0);
  tkhd.writeUInt32BE(1, 12);
  const visual = Buffer.alloc(78);
  visual.writeUInt16BE(640, 24);
  visual.writeUInt16BE(360, 26);
  const movie = boxParts(
    'moov',
    box('mvhd', mvhd),
    ...boxParts(
      'trak',
      box('tkhd', tkhd),
      ...boxParts(
        'mdia',
        box('mdhd', u32(0, 0, 0, 1000, 1000, 0)),
        box('hdlr', u32(0, 0), Buffer.from('vide'), u32(0, 0, 0)),
        ...boxParts(
          'minf',
          ...boxParts('stbl', tableBox('stsd', 1, box('avc1', visual)), stts, ctts, stsz, stsc, stco),
        ),
      ),
    ),
  );
  return Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isommp42')), ...movie]);
}
