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
