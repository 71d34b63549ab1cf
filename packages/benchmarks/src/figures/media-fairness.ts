import { performance } from 'node:perf_hooks';
import { largePng, openOperator } from '@switchboard/acceptance';
import { Pool } from 'undici';
import { toBenchmarkResult, type BenchmarkResult } from '../benchmark-result.js';
import { compare } from '../support/compare.js';
import type { Installation } from '../support/installation.js';
import { percentile } from '../support/percentile.js';

const ROUNDS = 5;
const UPLOADS = 100;
const LARGE_AT_ONCE = 12;
const LARGE_SIDE = 10_000;
const BOUNDARY = 'a-boundary';

/** One red pixel. */
const POINT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
);

/**
 * Uploads of one pixel by a workspace while another uploads twelve images of 100 megapixels at a time,
 * compared with the same without that load.
 */
export async function mediaFairness({ switchboard }: Installation): Promise<readonly BenchmarkResult[]> {
  const operator = await openOperator(switchboard);
  const workspaceId = await operator.createWorkspace('bench of media');
  const { token } = await operator.createKey({ scopes: ['posts:write'], workspaceId });
  await operator.close();
  const large = await largePng(LARGE_SIDE);
  const pool = new Pool(switchboard.url, { connections: LARGE_AT_ONCE + 1, pipelining: 1, bodyTimeout: 0 });
  const upload = async (bytes: Buffer, key: string) => {
    const { statusCode, body } = await pool.request({
      path: '/v1/social/media',
      method: 'POST',
      headersTimeout: 0,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      },
      body: multipart(bytes),
    });
    const text = await body.text();
    if (statusCode !== 201) throw new Error(`an upload was answered with ${statusCode}: ${text}`);
  };
  const p99 = async () => {
    const times: number[] = [];
    for (let nth = 0; nth < UPLOADS; nth += 1) {
      const beganMs = performance.now();
      await upload(POINT, token);
      times.push(performance.now() - beganMs);
    }
    return percentile(times, 99);
  };
  const underLoad = async () => {
    let isOver = false;
    const busy = Array.from({ length: LARGE_AT_ONCE }, async () => {
      while (!isOver) await upload(large, switchboard.keys.full);
    });
    try {
      return await p99();
    } finally {
      isOver = true;
      await Promise.all(busy);
    }
  };
  try {
    await p99();
    const comparison = await compare(underLoad, p99, ROUNDS);
    return [
      toBenchmarkResult({
        figure: 'POST /v1/social/media, one pixel, p99 while another workspace uploads 12 of 100 megapixels',
        value: comparison.ours,
        unit: 'ms',
        reach: { at_most: 3 },
        comparedWith: {
          what: 'the same without that load',
          value: comparison.theirs,
          ratio: comparison.ratio,
        },
      }),
    ];
  } finally {
    await pool.close();
  }
}

const multipart = (bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n`,
    ),
    bytes,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
