import { expect, test } from '@jest/globals';
import { formatPrice } from '@switchboard/domain';
import { buildItem } from '@switchboard/platform-kit/testing/calls';
import { imageOf } from '@switchboard/platform-kit/testing/test-media';
import { optionsFor, rules } from './rules.js';

test.each([
  ['Plain', null, '0.015'],
  ['With https://example.com/ in it', null, '0.20'],
  ['With example.com in it', null, '0.20'],
  ['With a separate link', 'https://example.com/', '0.20'],
])('%s costs %s, with the link %s', (text, link, usd) => {
  expect(formatPrice(rules.cost(buildItem(text, { link })))).toBe(usd);
});

test.each([
  ['$AAPL', []],
  ['It costs $5 and $10', []],
  ['$AAPL and $TSLA', ['text.too_many_cashtags']],
  ['$BRK.B, $AAPL', ['text.too_many_cashtags']],
  ['US$AAPL $TSLA', []],
])('%j has %j cashtags too many', (text, codes) => {
  expect(rules.check(buildItem(text)).map(({ code }) => code)).toEqual(codes);
});

const moving = (type: string) => imageOf({ type, animated: true });
test.each([
  ['a GIF', [moving('image/gif')], []],
  ['a GIF next to an image', [moving('image/gif'), imageOf()], ['media.too_many']],
  ['a WebP', [moving('image/webp')], ['media.type_unsupported']],
])('an animated %s has the expected problems', (_, media, codes) => {
  expect(rules.check(buildItem('Moves', { media })).map(({ code }) => code)).toEqual(codes);
});

test.each([
  [{ community_id: '1' }, 0, []],
  [{ community_id: 'potters' }, 0, ['options.community_id']],
  [{ quote_tweet_id: '1991734018223344551' }, 0, ['options.quote_tweet_id']],
])('the options %j of a post with %i media have problems at %j', (options, mediaCount, paths) => {
  expect(rules.check(buildItem('Look', { options, mediaCount })).map(({ path }) => path)).toEqual(paths);
});

test('options in an invalid format are none', () => {
  expect(optionsFor(buildItem('', { options: { reply_settings: 'following', made_with_ai: true } }))).toEqual(
    {
      reply_settings: 'following',
      made_with_ai: true,
    },
  );
  expect(optionsFor(buildItem('', { options: { reply_settings: 'nobody' } }))).toEqual({});
});
