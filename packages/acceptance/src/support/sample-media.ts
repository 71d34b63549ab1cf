import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** A unique PNG of noise: nearly as many bytes as its raw pixels. */
export function noisyPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // eight bits each of red, green and blue
  const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.alloc(1), randomBytes(width * 3)]));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const [length, sum, named] = [Buffer.alloc(4), Buffer.alloc(4), Buffer.concat([Buffer.from(name), data])];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/**
 * One second of video, 640 × 360, written by mediabunny. The container is valid; the frames contain no image.
 */
export const sampleVideo = Buffer.from(
  'AAAAGGZ0eXBpc29tAAACAGlzb21tcDQxAAACqW1vb3YAAABsbXZoZAAAAADnJ7so5ye7KAAA4QAAAOEAAAEAAAEAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIAAAI1dHJhawAAAFx0a2hkAAAAA+cnuyjnJ7soAAAAAQAAAAAAAOEAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAKAAAABaAAAAAAB0W1kaWEAAAAgbWRoZAAAAADnJ7so5ye7KAAA4QAAAOEAVcQAAAAAADdoZGxyAAAAAG1obHJ2aWRlAAAAAAAAAAAAAAAATWVkaWFidW5ueVZpZGVvSGFuZGxlcgAAAAFybWluZgAAABR2bWhkAAAAAQAAAAAAAAAAAAAAJGRpbmYAAAAcZHJlZgAAAAAAAAABAAAADHVybCAAAAABAAABMnN0YmwAAACOc3RzZAAAAAAAAAABAAAAfnZwMDkAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAACgAFoAEgAAABIAAAAAAAAAAESTWVkaWFidW5ueSB2MS42MS4wAAAAAAAAAAAAAAAAAAAY//8AAAAUdnBjQwEAAAAACoIBAQEAAAAAABRidHJ0AAAAAAAABkAAAAZAAAAAGHN0dHMAAAAAAAAAAQAAAAoAABaAAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAAFAAAAAQAAADxzdHN6AAAAAAAAAAAAAAAKAAAAFAAAABQAAAAUAAAAFAAAABQAAAAUAAAAFAAAABQAAAAUAAAAFAAAABhzdGNvAAAAAAAAAAIAAALJAAADLQAAABRzdHNzAAAAAAAAAAEAAAABAAAA0G1kYXQAAAAAAAAAAAAAAAAAAAAAAAAAAAEBAQEBAQEBAQEBAQEBAQEBAQEBAgICAgICAgICAgICAgICAgICAgIDAwMDAwMDAwMDAwMDAwMDAwMDAwQEBAQEBAQEBAQEBAQEBAQEBAQEBQUFBQUFBQUFBQUFBQUFBQUFBQUGBgYGBgYGBgYGBgYGBgYGBgYGBgcHBwcHBwcHBwcHBwcHBwcHBwcHCAgICAgICAgICAgICAgICAgICAgJCQkJCQkJCQkJCQkJCQkJCQkJCQ==',
  'base64',
);

/**
 * Four seconds, where one is too short: the units of one second (57,600) become a quarter of the duration.
 */
export const slowVideo = Buffer.from(
  sampleVideo.toString('hex').replaceAll('0000e1000000e100', '000038400000e100'),
  'hex',
);

/** Two frames; the second has a different color. */
export const animatedGif = Buffer.from(
  'R0lGODlhEAAMAIAAAExpcf8AACH/C05FVFNDQVBFMi4wAwEAAAAh+QQFCgAAACwAAAAAEAAMAAACDIyPqcvtD6OctNprCgAh+QQFCgAAACwAAAAAEAAMAIBMaXEAgIACDIyPqcvtD6OctNprCgA7',
  'base64',
);

/** A page with the text "Switchboard", in which qpdf finds no errors. */
export const pdfDocument = Buffer.from(
  'JVBERi0xLjQKMSAwIG9iago8PCAvVHlwZSAvQ2F0YWxvZyAvUGFnZXMgMiAwIFIgPj4KZW5kb2JqCjIgMCBvYmoKPDwgL1R5cGUgL1BhZ2VzIC9LaWRzIFszIDAgUl0gL0NvdW50IDEgPj4KZW5kb2JqCjMgMCBvYmoKPDwgL1R5cGUgL1BhZ2UgL1BhcmVudCAyIDAgUiAvTWVkaWFCb3ggWzAgMCAyMDAgMTAwXSAvQ29udGVudHMgNCAwIFIgL1Jlc291cmNlcyA8PCAvRm9udCA8PCAvRiA1IDAgUiA+PiA+PiA+PgplbmRvYmoKNCAwIG9iago8PCAvTGVuZ3RoIDQwID4+CnN0cmVhbQpCVCAvRiAyNCBUZiAyMCA0MCBUZCAoU3dpdGNoYm9hcmQpIFRqIEVUCmVuZHN0cmVhbQplbmRvYmoKNSAwIG9iago8PCAvVHlwZSAvRm9udCAvU3VidHlwZSAvVHlwZTEgL0Jhc2VGb250IC9IZWx2ZXRpY2EgPj4KZW5kb2JqCnhyZWYKMCA2CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAwOSAwMDAwMCBuIAowMDAwMDAwMDU4IDAwMDAwIG4gCjAwMDAwMDAxMTUgMDAwMDAgbiAKMDAwMDAwMDI0MCAwMDAwMCBuIAowMDAwMDAwMzMwIDAwMDAwIG4gCnRyYWlsZXIKPDwgL1NpemUgNiAvUm9vdCAxIDAgUiA+PgpzdGFydHhyZWYKNDAwCiUlRU9GCg==',
  'base64',
);

/** The same video with every frame shown five times as long. */
export const longVideo = slowDown(sampleVideo, 5);

/** The same in portrait: 720 × 1280, in the track and in its samples. */
export const portraitVideo = Buffer.from(
  longVideo
    .toString('hex')
    .replaceAll('0280000001680000', '02d0000005000000')
    .replaceAll('02800168', '02d00500'),
  'hex',
);

function slowDown(source: Buffer, times: number): Buffer {
  const slow = Buffer.from(source);
  /** The offset of a duration behind the name of its box (ISO/IEC 14496-12, version 0). */
  for (const [box, offset] of Object.entries({ mvhd: 20, tkhd: 24, mdhd: 20, stts: 16 })) {
    const at = slow.indexOf(box) + offset;
    slow.writeUInt32BE(slow.readUInt32BE(at) * times, at);
  }
  return slow;
}
