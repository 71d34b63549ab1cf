import { describe, expect, test } from '@jest/globals';
import { ok, refuse } from '@switchboard/domain';
import type { PlatformFailureCode, PublishItem } from '@switchboard/domain/ports';
import { discardIfRefused, openReceipt } from './part-receipt.js';
import {
  resumeUploads,
  uploadedMediaIds,
  type UploadApi,
  type UploadedFile,
  type UploadState,
} from './resumable-uploads.js';

const { signal } = new AbortController();

interface PlatformSetup {
  /** What the platform reports about an upload on successive polls; the last one repeats. Otherwise `ready`. */
  readonly states?: Readonly<Record<string, readonly (UploadState | null)[]>>;
  readonly stored?: PublishItem['receipt'];
  readonly uploaded?: Omit<UploadedFile, 'id'>;
  /** The failure of an upload, or of a poll. */
  readonly fails?: Readonly<Record<string, PlatformFailureCode>>;
  readonly reportsNoState?: boolean;
  readonly savesFail?: boolean;
}

/** One attempt at the files `left` and `right`, and its steps in their order. */
async function attempt({
  states = {},
  stored = {},
  uploaded = { state: 'processing' },
  fails = {},
  reportsNoState = false,
  savesFail = false,
}: PlatformSetup) {
  const steps: string[] = [];
  const polls = new Map<string, number>();
  const receipt = openReceipt({ receipt: stored }, async (entries) => {
    if (savesFail) throw new Error('another worker has the delivery');
    steps.push(`save ${Object.values(entries).join('+')}`);
  });
  const look: UploadApi['look'] = async (id) => {
    const at = polls.get(id) ?? 0;
    polls.set(id, at + 1);
    const known = states[id] ?? ['ready'];
    return fails[id] ? refuse(fails[id], 'No.') : ok(known[at] ?? known.at(-1) ?? null);
  };
  const api = { name: 'Acme', delaysMs: [0, 1], ...(!reportsNoState && { look }) };
  const files = ['left', 'right'].map((key) => ({
    key,
    async upload() {
      steps.push(`upload ${key}`);
      return fails[key] ? refuse(fails[key], 'No.') : ok({ id: `new-${key}`, ...uploaded });
    },
  }));
  const result = await resumeUploads({ signal }, receipt, api, files).catch(({ message }: Error) => message);
  return {
    result,
    steps,
    stored: receipt.entries,
    polls: [...polls.values()].reduce((sum, n) => sum + n, 0),
  };
}

const failsWith = (code: PlatformFailureCode) => ({ ok: false, failure: { code } });
const earlier = { left: 'old-left', right: 'old-right' };

test('every ID is stored before the next step, and both files are uploaded before either is waited for', async () => {
  const { result, steps, polls } = await attempt({ states: { 'new-left': ['processing', 'ready'] } });
  expect(result).toEqual(ok(['new-left', 'new-right']));
  expect(steps).toEqual(['upload left', 'save new-left', 'upload right', 'save new-left+new-right']);
  expect(polls).toBe(3);
});

test('a file that is ready at once is not polled', async () => {
  const { result, polls } = await attempt({ uploaded: { state: 'ready' } });
  expect([result, polls]).toEqual([ok(['new-left', 'new-right']), 0]);
});

test('nothing more is sent after an ID could not be stored', async () => {
  const { result, steps } = await attempt({ savesFail: true });
  expect([result, steps]).toEqual(['another worker has the delivery', ['upload left']]);
});

test('further entries are stored together with the ID', async () => {
  const { stored } = await attempt({ uploaded: { state: 'ready', entries: { url: 'there' } } });
  expect(stored).toEqual({ left: 'new-left', right: 'new-right', url: 'there' });
});

describe('finding 74: an upload of an earlier attempt', () => {
  test('is used without another upload, and waited for only while the platform processes it', async () => {
    const states = { 'old-right': ['processing', 'processing', 'ready'] } as const;
    const { result, steps, polls } = await attempt({ stored: earlier, states });
    expect([result, steps, polls]).toEqual([ok(['old-left', 'old-right']), [], 4]);
  });

  test('that the platform no longer has is replaced', async () => {
    const { result, stored } = await attempt({ stored: earlier, states: { 'old-left': [null] } });
    expect(result).toEqual(ok(['new-left', 'old-right']));
    expect(stored).toEqual({ left: 'new-left', right: 'old-right' });
  });

  test.each(['failed', refuse('platform.refused', 'Too long.')] as const)(
    'that the platform could not process (%j) is refused once, and replaced by a retry',
    async (failed) => {
      const first = await attempt({ stored: earlier, states: { 'old-left': [failed] } });
      expect(first.result).toMatchObject(failsWith('platform.refused'));
      if (failed !== 'failed') expect(first.result).toBe(failed);
      expect(first.steps).toEqual(['save +old-right']);
      expect((await attempt({ stored: first.stored })).result).toEqual(ok(['new-left', 'old-right']));
    },
  );

  test('that the platform has not registered is waited for when new, and replaced by a later attempt', async () => {
    const states = { 'new-left': ['unregistered'], 'old-left': ['unregistered'] } as const;
    const first = await attempt({ states });
    expect(first.result).toMatchObject(failsWith('platform.unavailable'));
    const later = await attempt({ states: { 'old-left': ['unregistered'] }, stored: earlier });
    expect(later.result).toEqual(ok(['new-left', 'old-right']));
  });

  test('is used where the platform reports no state, until the platform refuses the post', async () => {
    const { result } = await attempt({ stored: earlier, reportsNoState: true });
    expect(result).toEqual(ok(['old-left', 'old-right']));
    const receipt = openReceipt({ receipt: earlier }, async () => undefined);
    await discardIfRefused(receipt, refuse('platform.unavailable', 'Later.'));
    expect(receipt.entries).toEqual(earlier);
    await discardIfRefused(receipt, refuse('platform.refused', 'No.'));
    expect((await attempt({ stored: receipt.entries, reportsNoState: true })).result).toEqual(
      ok(['new-left', 'new-right']),
    );
  });

  test.each(['platform.refused', 'platform.permission_missing', 'platform.rate_limited'] as const)(
    'whose state cannot be read (%s) is kept, and nothing is uploaded',
    async (code) => {
      const { result, steps, stored } = await attempt({ stored: earlier, fails: { 'old-left': code } });
      expect(result).toMatchObject(failsWith(code));
      expect([steps, stored]).toEqual([[], earlier]);
    },
  );
});

test('longer processing is left to a later attempt, which has the IDs', async () => {
  const { result, stored } = await attempt({ states: { 'new-left': ['processing'] } });
  expect(result).toMatchObject({ failure: { code: 'platform.unavailable', retryAfterSeconds: 60 } });
  expect(stored).toEqual({ left: 'new-left', right: 'new-right' });
});

test('a file that fails while it is waited for is discarded, and the others are kept', async () => {
  const { result, stored } = await attempt({ states: { 'new-right': ['processing', 'failed'] } });
  expect(result).toMatchObject(failsWith('platform.refused'));
  expect(stored).toEqual({ left: 'new-left', right: '' });
});

test.each(['right', 'new-right', 'old-right'])(
  'an unreadable response (%s) does not leave the outcome of the post unknown',
  async (unreadable) => {
    const stored = unreadable === 'old-right' ? earlier : {};
    const { result } = await attempt({ stored, fails: { [unreadable]: 'platform.invalid_response' } });
    expect(result).toMatchObject(failsWith('platform.unavailable'));
  },
);

test('a post can have been sent only if all of its media are stored', () => {
  const item = { mediaCount: 2, receipt: { media_0: 'a', media_1: 'b' } };
  expect(uploadedMediaIds(item)).toEqual(['a', 'b']);
  expect(uploadedMediaIds({ ...item, mediaCount: 3 })).toBeNull();
  expect(uploadedMediaIds({ ...item, receipt: { media_0: 'a', media_1: '' } })).toBeNull();
  expect(uploadedMediaIds(item, (at) => `photo_${at}`)).toBeNull();
});
