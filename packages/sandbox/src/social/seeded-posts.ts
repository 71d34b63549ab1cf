import { seededRandom } from '../random.js';
import type { Post } from './post.js';

const WORDS: Readonly<Record<string, readonly (readonly [text: string, link?: string])[]>> = {
  'maren-holt': [
    ['First firing of the new glaze. It came out the color of wet slate and I could not be happier.'],
    ['A small batch of cups goes online on Thursday at noon.', 'https://example.com/maren/cups'],
    [
      'A question from the last market: how long does a bowl take? Twelve minutes to throw, three weeks to become a bowl.',
    ],
    ['Rain all day. Perfect throwing weather. 🌧️'],
    ['Notes on reclaiming clay, with photos of my worst bucket.', 'https://example.com/maren/reclaim'],
  ],
  'lumen-coffee': [
    [
      'New on the shelf: a washed Huila with red apple and a little caramel. 250 g, roasted this morning.',
      'https://example.com/lumen/huila',
    ],
    ['We are closed on Monday. The espresso machine is getting the spa day it deserves.'],
    ['Cold brew is back. Summer may now begin. ☀️'],
    ['What we learned from roasting 1,000 batches on the same drum.', 'https://example.com/lumen/thousand'],
    ['Baristas wanted: kind people who like mornings. Come by and say hello.'],
  ],
  'tidal-museum': [
    [
      'The tide clock of 1872 runs again, after eleven months in the workshop.',
      'https://example.com/tidal/clock',
    ],
    ['Free entry this Sunday for everyone who arrives by boat. Yes, really.'],
    ['On this day a letter took four months from Valparaíso to Hamburg. It is on show in room 3.'],
    ['High water at 14:20 today: the best time to see the lock gates move.'],
    ['Our collection of knots is now online: 412 of them.', 'https://example.com/tidal/knots'],
  ],
};

const DAY_MS = 86_400_000;

/** The accounts' posts of the month before the sandbox started, so that feed and insights are not empty. */
export function seededPosts(seed: number, epoch: Date): Post[] {
  return Object.entries(WORDS).flatMap(([account, words]) => {
    const random = seededRandom(`${seed}:posts:${account}`);
    return words.map(([text, link], index): Post => {
      const daysAgo = 27 - index * 6 + random.next() * 3;
      return {
        id: random.id('p'),
        account_id: account,
        text,
        link: link ?? null,
        media: [],
        topic: null,
        visibility: 'public',
        reply_to: null,
        client_ref: null,
        created_at: new Date(epoch.getTime() - Math.round(daysAgo * DAY_MS)).toISOString(),
      };
    });
  });
}
