/** The beginning of a text, with an ellipsis where it was truncated; never splits a character. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text
    .slice(0, max)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}
