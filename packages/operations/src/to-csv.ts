export type CsvCell = string | number | null;

/** A text that a spreadsheet would evaluate as a formula. */
const FORMULA = /^[=+\-@\t\r]/v;
const NEEDS_QUOTES = /[",\r\n]/v;

/**
 * A table as CSV (RFC 4180), with a header and CRLF after every line. An unknown value is an empty cell. A text that
 * begins like a formula gets an apostrophe, so that a spreadsheet shows it and does not evaluate it.
 */
export const toCsv = (
  columns: readonly string[],
  rows: readonly Readonly<Record<string, CsvCell>>[],
): string =>
  [columns, ...rows.map((row) => columns.map((column) => row[column] ?? null))]
    .map((cells) => `${cells.map(toCell).join(',')}\r\n`)
    .join('');

function toCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
