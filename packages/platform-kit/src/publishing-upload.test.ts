import { describe, expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import type { PlatformFailureCode, PublishItem } from '@switchboard/domain/ports';
import { openReceipt } from './part-receipt.js';
import { resumePublishingUpload, type UploadProgress } from './publishing-upload.js';

type Reported = UploadProgress<string> | 'failed' | PlatformFailureCode;

interface PlatformSetup {
  readonly stored?: PublishItem['receipt'];
  /** What the platform reports about the stored upload. */
  readonly progress?: Reported;
  /**
   * What it returns for successive chunks; by default that it has received them, and a post for the last one.
   */
  readonly chunks?: readonly Reported[];
  readonly startFails?: PlatformFailureCode;
}

/** One attempt at a file of 25 bytes in chunks of ten, and its steps in their order. */
async function attempt({ stored = {}, progress = null, chunks = [], startFails }: PlatformSetup = {}) {
  const steps: string[] = [];
  const receipt = openReceipt({ receipt: stored }, async (entries) => {
    steps.push(`save ${Object.keys(entries).join('+')}`);
  });
  let sent = 0;
  const resultOf = (reported: Reported) =>
    typeof reported === 'string' && reported !== 'failed' ? refuse(reported, 'No.') : ok(reported);
  const result = await resumePublishingUpload<string>(receipt, {
    name: 'Acme',
    bytes: 25,
    startedKey: 'url',
    lastChunkKey: 'ended',
    async start() {
      steps.push('start');
      return startFails ? refuse(startFails, 'No.') : ok({ url: 'there' });
    },
    readProgress: async () => resultOf(progress),
    chunkAt: (start) => ({ start, end: Math.min(start + 10, 25) }),
    async send(start, end) {
      steps.push(`send ${start}-${end}`);
      const reported = chunks[sent++];
      return resultOf(reported === undefined ? (end === 25 ? { post: 'out' } : { received: end }) : reported);
    },
  });
  return { result, steps, stored: receipt.entries };
}

const failsWith = (code: PlatformFailureCode) => ({ ok: false, failure: { code } });
const started = { url: 'earlier' };
const ended = { url: 'earlier', ended: 'yes' };

test('the start is stored before the first byte, and the last chunk is recorded before it is sent', async () => {
  const { result, steps } = await attempt();
  expect(result).toEqual(ok({ post: 'out' }));
  expect(steps).toEqual(['start', 'save url', 'send 0-10', 'send 10-20', 'save url+ended', 'send 20-25']);
});

describe('finding 74: an upload of an earlier attempt', () => {
  test('continues where the platform’s report ends, and is not started again', async () => {
    const { result, steps } = await attempt({ stored: started, progress: { received: 12 } });
    expect(result).toEqual(ok({ post: 'out' }));
    expect(steps).toEqual(['send 12-22', 'save url+ended', 'send 22-25']);
  });

  test('that is a post by now is returned, and nothing is sent', async () => {
    const { result, steps } = await attempt({ stored: ended, progress: { post: 'out' } });
    expect([result, steps]).toEqual([ok({ post: 'out' }), []]);
  });

  test('that has arrived completely is not sent again', async () => {
    const { result, steps } = await attempt({ stored: ended, progress: { received: 25 } });
    expect([result, steps]).toEqual([ok(null), []]);
  });

  test('that has expired starts anew only if it cannot be a post', async () => {
    const anew = await attempt({ stored: { ...started, rest: 'of it' } });
    expect(anew.result).toEqual(ok({ post: 'out' }));
    expect(anew.stored).toEqual({ url: 'there', ended: 'yes' });
    const unknown = await attempt({ stored: ended });
    expect(unknown.result).toMatchObject(failsWith('platform.outcome_unknown'));
    expect([unknown.steps, unknown.stored]).toEqual([[], ended]);
  });

  test('that the platform reports as failed starts anew, though all of it was sent', async () => {
    const { result, steps } = await attempt({ stored: ended, progress: 'failed' });
    expect(result).toEqual(ok({ post: 'out' }));
    expect(steps.slice(0, 2)).toEqual(['start', 'save url']);
  });

  test.each([
    'platform.refused',
    'platform.permission_missing',
    'platform.unavailable',
    'platform.rate_limited',
    'platform.invalid_response',
    'connection.needs_reauth',
  ] as const)('whose state cannot be read (%s) is unknown once all of it was sent', async (code) => {
    const { result, steps } = await attempt({ stored: ended, progress: code });
    expect(result).toMatchObject(failsWith('platform.outcome_unknown'));
    expect(steps).toEqual([]);
  });

  test('whose state cannot be read leaves no doubt before that', async () => {
    const read = async (code: PlatformFailureCode) =>
      (await attempt({ stored: started, progress: code })).result;
    expect(await read('platform.invalid_response')).toMatchObject(failsWith('platform.unavailable'));
    expect(await read('platform.refused')).toMatchObject(failsWith('platform.refused'));
  });
});

test('an unreadable response to the start, or to a chunk before the last, leaves no doubt', async () => {
  const unavailable = failsWith('platform.unavailable');
  expect((await attempt({ startFails: 'platform.invalid_response' })).result).toMatchObject(unavailable);
  expect((await attempt({ chunks: ['platform.invalid_response'] })).result).toMatchObject(unavailable);
});

test('the failure of the last chunk is the outcome of the post', async () => {
  const stored = { url: 'earlier' };
  const { result } = await attempt({
    stored,
    progress: { received: 20 },
    chunks: ['platform.outcome_unknown'],
  });
  expect(result).toMatchObject(failsWith('platform.outcome_unknown'));
});

test('the part of a chunk that the platform did not store is sent again', async () => {
  const { steps } = await attempt({
    stored: started,
    progress: { received: 10 },
    chunks: [{ received: 14 }],
  });
  expect(steps).toEqual(['send 10-20', 'send 14-24', 'save url+ended', 'send 24-25']);
});

test('a platform that stores nothing is not sent the same chunk forever', async () => {
  const { result, steps } = await attempt({ chunks: [{ received: 10 }, { received: 10 }] });
  expect(result).toMatchObject({ failure: { code: 'platform.unavailable', retryAfterSeconds: 60 } });
  expect(steps.slice(2)).toEqual(['send 0-10', 'send 10-20']);
});

describe('an upload that expires between two chunks', () => {
  test('is discarded, also if its last chunk was refused', async () => {
    const { result, stored } = await attempt({ chunks: [{ received: 10 }, { received: 20 }, null] });
    expect(result).toMatchObject(failsWith('platform.unavailable'));
    expect(stored).toEqual({});
  });

  test('is kept if an earlier attempt may have sent all of it, unless the platform reports it as failed', async () => {
    const upload = { stored: ended, progress: { received: 20 } };
    const unknown = await attempt({ ...upload, chunks: [null] });
    expect([unknown.result, unknown.stored]).toMatchObject([failsWith('platform.unavailable'), ended]);
    const failed = await attempt({ ...upload, chunks: ['failed'] });
    expect([failed.result, failed.stored]).toMatchObject([failsWith('platform.unavailable'), {}]);
  });
});
