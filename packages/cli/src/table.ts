/** Rows under headings, columns aligned; or a message when there are none. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  none: string,
): string {
  if (rows.length === 0) return none;
  const lines = [headings, ...rows].map((row) => row.map((cell) => cell ?? '-'));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
