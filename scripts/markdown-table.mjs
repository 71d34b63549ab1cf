/** A Markdown table; an empty cell becomes a dash. */
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => (cell === '' ? '–' : cell)).join(' | ')} |`)
    .join('\n');
