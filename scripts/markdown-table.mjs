/** A table in Markdown; what is empty is a dash. */
export const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => (cell === '' ? '–' : cell)).join(' | ')} |`)
    .join('\n');
