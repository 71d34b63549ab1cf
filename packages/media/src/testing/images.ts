import { deflateSync } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';

/** Noise does not compress: such an image is about as large as its pixels. */
export const noiseImage = (width: number, height: number, channels: 3 | 4 = 3): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels,
      background: { r: 128, g: 128, b: 128, alpha: 0.5 },
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });

export const solidImage = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: 'red' } });

/** A GIF or WebP with several different frames. */
export async function animatedImage(format: 'gif' | 'webp', frames = 3): Promise<Buffer> {
  const colors = ['red', 'green', 'blue'];
  const frameImages = Array.from({ length: frames }, (_, nth) =>
    sharp({ create: { width: 64, height: 48, channels: 3, background: colors[nth % 3] ?? 'red' } })
      .png()
      .toBuffer(),
  );
  const animation = sharp(await Promise.all(frameImages), { join: { animated: true } });
  return animation.toFormat(format).toBuffer();
}

/** A PNG of a few kilobytes with the given number of black pixels. */
export function bombPng(width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * Math.min(height, 1000));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Inserts a chunk that starts an animation after the header of a PNG. */
export function withAnimation(png: Buffer): Buffer {
  const control = Buffer.alloc(8);
  control.writeUInt32BE(2, 0);
  const [head, rest] = [png.subarray(0, 33), png.subarray(33)];
  return Buffer.concat([head, chunk('acTL', control), rest]);
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}

/** 2 KiB of AVIF, 10,000 × 10,000 pixels of twelve bits: decoding takes 2.3 GiB. */
export const avifBomb = Buffer.from(
  'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAABsQAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgV9iAAAAABRpc3BlAAAAAAAAJxAAACcQAAAAEHBpeGkAAAAAAwwMDAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAbMbWRhdBIACgtf92cPnD2tAQ0GiDKyDRPJQmMExNNNM0EgAABdz8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8ULo2SupsdnwWlRBC6edDHgl3Uz+dbwzaDSarLizXvLXZ58x6r5WFNusJD9Sl3PzAxgvgqoe1KmlnsrxGjuzFjtUCnedWOlWrhq872Mr+/iPm6e8YRwiffXTtICp5pHxQujZK6mx2fBaVEELp50MeCXdTP51vDNoNJqsuLNe8tdnnzHqvlYU26wkP1KXc/MDGC+Cqh7UqaWeyvEaO7MWO1QKd51Y6VauGrzvYyv7+I+bp7xhHCJ99dO0gKnmkfFC6NkrqbHZ8FpUQQunnQx4Jd1M/nW8M2g0mqy4s17y12efMeq+VhTbrCQ/Up2z8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8fhTcLXJc8vTUl/f8sq5m65JhI0yUp3EIEh2X1vVmjbhFrdf3YzJrNUmxq5GEZYB32CvJey2MGZDXvngrHxidVFf43huxBdz8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8ULo2SupsdnwWlRBC6edDHgl3Uz+dbwzaDSarLizXvLXZ58x6r5WFNusJD9Sl3PzAxgvgqoe1KmlnsrxGjuzFjtUCnedWOlWrhq872Mr+/iPm6e8YRwiffXTtICp5pHxQujZK6mx2fBaVEELp50MeCXdTP51vDNoNJqsuLNe8tdnnzHqvlYU26wkP1KXc/MDGC+Cqh7UqaWeyvEaO7MWO1QKd51Y6VauGrzvYyv7+I+bp7xhHCJ99dO0gKnmkfFC6NkrqbHZ8FpUQQunnQx4Jd1M/nW8M2g0mqy4s17y12efMeq+VhTbrCQ/Up2z8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8fhTcLXJc8vTUl/f8sq5m65JhI0yUp3EIEh2X1vVmjbhFrdf3YzJrNUmxq5GEZYB32CvJey2MGZDXvngrHxidVFf43huxBdz8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8ULo2SupsdnwWlRBC6edDHgl3Uz+dbwzaDSarLizXvLXZ58x6r5WFNusJD9Sl3PzAxgvgqoe1KmlnsrxGjuzFjtUCnedWOlWrhq872Mr+/iPm6e8YRwiffXTtICp5pHxQujZK6mx2fBaVEELp50MeCXdTP51vDNoNJqsuLNe8tdnnzHqvlYU26wkP1KXc/MDGC+Cqh7UqaWeyvEaO7MWO1QKd51Y6VauGrzvYyv7+I+bp7xhHCJ99dO0gKnmkfFC6NkrqbHZ8FpUQQunnQx4Jd1M/nW8M2g0mqy4s17y12efMeq+VhTbrCQ/Up2z8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8fhTcLXJc8vTUl/f8sq5m65JhI0yUp3EIEh2X1vVmjbhFrdf3YzJrNUmxq5GEZYB32CvJey2MGZDXvngrHxidVFf43huxB2z8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8ULo2SupsdnwWlRBC6edDHgl3Uz+dbwzaDSarLizXvLXZ58x6r5WFNuupmiTnroZNH0Qb7g65FY5+F5yJMn0pZSofPQcWB2z8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8ULo2SupsdnwWlRBC6edDHgl3Uz+dbwzaDSarLizXvLXZ58x6r5WFNuupmiTnroZNH0Qb7g65FY5+F5yJMn0pZSofPQcWB2z8wMYL4KqHtSppZ7K8Ro7sxY7VAp3nVjpVq4avO9jK/v4j5unvGEcIn3107SAqeaR8ULo2SupsdnwWlRBC6edDHgl3Uz+dbwzaDSarLizXvLXZ58x6r5WFNuupmiTnroZNH0Qb7g65FY5+F5yJMn0pZSofPQcWDPzAxgvgqoe1KmlnsrxGjuzFjtUCnedWOlWrhq872Mr+/iPm6e8YRwiffXTtICp5pHx+FNwtclzy9NSX9/yyrmbrkmEjTJSncQgSHZfW9WaNuEWt1/djMms1SbGrkYRlgHfYK8l7LYwZkNe+eCsfGJ1UYkRuGMg5QsSnh1vZo=',
  'base64',
);
