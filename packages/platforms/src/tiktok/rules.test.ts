import { expect, test } from '@jest/globals';
import type { PartDraft } from '@switchboard/domain/ports';
import { buildItem } from '@switchboard/platform-kit/testing/calls';
import { imageOf, videoOf } from '@switchboard/platform-kit/testing/test-media';
import { chunksOf } from './media.js';
import { optionsOf, rules } from './rules.js';

const VIDEO_KEY = { media: [videoOf()] } as const;
const PHOTOS = { media: [imageOf()] } as const;
const codesOf = (draft: PartDraft) => rules.check(draft).map(({ path, code }) => `${path} ${code}`);

test.each([
  ['a video with a text of the maximum length', 2_200, VIDEO_KEY, []],
  ['a video with one more character', 2_201, VIDEO_KEY, ['text text.too_long']],
  ['photos with more than a video may have', 4_000, PHOTOS, []],
  ['media that is not known yet', 4_000, {}, []],
])('%s: %i', (_, length, known, codes) => {
  expect(codesOf({ ...buildItem('x'.repeat(length)), ...known })).toEqual(codes);
});

test('a title is for photos, and is counted as TikTok counts', () => {
  const titled = (title: string, known: Pick<PartDraft, 'media'>) =>
    codesOf({ ...buildItem('', { title }), ...known });
  expect(titled('A title', VIDEO_KEY)).toEqual(['title option.invalid']);
  expect(titled('🦋'.repeat(45), PHOTOS)).toEqual([]);
  expect(titled('🦋'.repeat(46), PHOTOS)).toEqual(['title option.invalid']);
});

test.each([
  ['a duet of photos', PHOTOS, { disable_duet: true }, ['options.disable_duet option.invalid']],
  ['a duet that is not disabled', PHOTOS, { disable_duet: false }, []],
  ['music for a video', VIDEO_KEY, { auto_add_music: true }, ['options.auto_add_music option.invalid']],
  ['a video made with AI', VIDEO_KEY, { is_aigc: true }, []],
  [
    'a cover that is not a number',
    VIDEO_KEY,
    { video_cover_timestamp_ms: '1.5 s' },
    ['options.video_cover_timestamp_ms option.invalid'],
  ],
  [
    'a paid partnership with visibility to the owner alone',
    VIDEO_KEY,
    { brand_content_toggle: true, privacy_level: 'SELF_ONLY' },
    ['options.brand_content_toggle option.invalid'],
  ],
])('%s', (_, known, options, codes) => {
  expect(codesOf({ ...buildItem('Hello', { options }), ...known })).toEqual(codes);
});

test('options in an invalid format are none', () => {
  expect(optionsOf({ options: { privacy_level: 'SELF_ONLY' } })).toEqual({ privacy_level: 'SELF_ONLY' });
  expect(optionsOf({ options: { privacy_level: 'SELF_ONLY', is_aigc: 'yes' } })).toEqual({});
});

test.each([
  [1, { size: 1, count: 1 }],
  [19_999_999, { size: 19_999_999, count: 1 }],
  [20_000_000, { size: 10_000_000, count: 2 }],
  // As in TikTok's own example.
  [50_000_123, { size: 10_000_000, count: 5 }],
  [4_000_000_000, { size: 10_000_000, count: 400 }],
])('%i bytes are split as TikTok requires', (bytes, pieces) => {
  expect(chunksOf(bytes)).toEqual(pieces);
});
