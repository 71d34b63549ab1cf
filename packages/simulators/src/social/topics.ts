/** What an account sorts its posts by. Each has its own, so that nobody can know them without asking. */
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
