import { describe, expect, test } from '@jest/globals';
import { catalog } from './catalog.js';
import { presentError } from './pipeline/error-shape.js';
import { examplePost, postSentence } from './posts/post-shape.js';

const lists = catalog
  .filter(({ example }) => Array.isArray(example.output['data']))
  .map((operation) => [operation.name, operation] as const);

test.each(lists)(
  'writes counts in the sentence of %s with the right plural',
  (_name, { sentence, example }) => {
    const [item] = example.output['data'] as readonly unknown[];
    const answers = [0, 1, 2].map((count) => ({ ...example.output, data: Array<unknown>(count).fill(item) }));
    for (const response of [...answers, { ...answers[2], next_cursor: 'x' }]) {
      const sentenceOf = sentence(response);
      expect(sentenceOf).toMatch(/^\S.*\.$/);
      expect(sentenceOf).not.toMatch(
        /\(s\)|\b1 \w+s\b(?! a)|\b[02] (post|order|profile|key|file|row|refund|connection|platform)\b/,
      );
    }
  },
);

describe('the sentence of a post', () => {
  const [delivery] = examplePost.deliveries;
  const post = (statuses: readonly string[], over: Partial<typeof examplePost> = {}) => ({
    ...examplePost,
    deliveries: statuses.map((status, at) => ({
      ...delivery,
      status,
      platform: ['bluesky', 'mastodon', 'linkedin'][at],
    })),
    ...over,
  });
  const sentences = (...given: Parameters<typeof post>) =>
    postSentence(post(...given) as Parameters<typeof postSentence>[0]);

  test('names where it is live, and where it may be, before a resend', () => {
    expect(sentences(['published', 'published', 'unknown'])).toBe(
      `Published on 2 of 3; linkedin may already be live, do not resend. (${examplePost.id})`,
    );
  });

  test('says how to send only the unpublished deliveries', () => {
    expect(sentences(['published', 'failed', 'missed'])).toBe(
      `Published on 1 of 3; not published on mastodon, linkedin, retry_post sends only that. (${examplePost.id})`,
    );
  });

  test.each([
    ['platform.unavailable', 'retry_post sends only that'],
    ['platform.refused', 'see its error: fix the post and create_post to that account only'],
    ['platform.permission_missing', 'see its error for who has to fix what before retry_post'],
  ])(
    'for a delivery that ended with %s it names what helps, because sending the same again does not change a rejection',
    (code, helps) => {
      const { deliveries } = post(['published', 'failed']);
      const [live, refused] = deliveries;
      const failed = { ...refused, error: presentError({ code, message: 'No.' }) };
      expect(sentences([], { deliveries: [live, failed] as typeof examplePost.deliveries })).toBe(
        `Published on 1 of 2; not published on mastodon, ${helps}. (${examplePost.id})`,
      );
    },
  );

  test('names the skipped accounts', () => {
    const skipped = [{ connection_id: 'con_1', platform: 'x', status: 'needs_reauth' }];
    expect(sentences(['pending'], { status: 'scheduled', skipped })).toBe(
      `Scheduled ${examplePost.id} for ${examplePost.scheduled_at} on bluesky; 1 account skipped, see skipped.`,
    );
  });
});
