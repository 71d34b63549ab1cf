/** The beginning of a text, with a mark where something was left out; nobody's character is cut in two. */
export function truncateText(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text
    .slice(0, max)
    .toWellFormed()
    .replace(/\ufffd$/, '')}…`;
}
