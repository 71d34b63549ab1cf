import type { Account } from '../world.js';

export const SOCIAL_ACCOUNTS: readonly Account[] = [
  {
    id: 'maren-holt',
    username: 'maren',
    name: 'Maren Holt',
    about: 'Ceramics, slow mornings, one kiln too many.',
    hues: [12, 330],
    createdAt: '2021-03-14T09:26:00.000Z',
  },
  {
    id: 'lumen-coffee',
    username: 'lumencoffee',
    name: 'Lumen Coffee',
    about: 'Roasted on Tuesdays. Gone by Friday.',
    hues: [38, 14],
    createdAt: '2019-10-01T07:00:00.000Z',
  },
  {
    id: 'tidal-museum',
    username: 'tidalmuseum',
    name: 'Tidal Museum',
    about: 'The sea, its machines and its people. Open daily, tides permitting.',
    hues: [192, 232],
    createdAt: '2017-06-08T12:00:00.000Z',
  },
];

/** The categories of an account's posts. Each account has its own, so that they must be requested. */
const TOPICS: Readonly<Record<string, readonly (readonly [id: string, name: string])[]>> = {
  'maren-holt': [
    ['kiln-notes', 'Kiln notes'],
    ['shop-news', 'Shop news'],
  ],
  'lumen-coffee': [
    ['roasts', 'Roasts'],
    ['brewing', 'Brewing'],
    ['jobs', 'Jobs'],
  ],
  'tidal-museum': [
    ['exhibits', 'Exhibits'],
    ['tides', 'Tides'],
  ],
};

export const topicsOf = (account: string) => (TOPICS[account] ?? []).map(([id, name]) => ({ id, name }));
