/** The names of fields are few and known, and a list repeats them for every row. */
const snakeNames = new Map<string, string>();

/** The name of a field on the wire and of its column: `scheduledAt` is `scheduled_at`. */
export function toSnakeName(name: string): string {
  let snakeName = snakeNames.get(name);
  if (snakeName === undefined) {
    snakeName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snakeName);
  }
  return snakeName;
}
