import { InvalidArgumentError } from 'commander';
import type { CommandContext } from './with-service.js';

/** A repeatable option. */
export const collectValues = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

export const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** A name as the tables store it. */
export function readName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 100) throw new InvalidArgumentError('Expected 1 to 100 characters.');
  return name;
}

export function readTimezone(text: string): string {
  if (!isTimezone(text)) throw new InvalidArgumentError('Expected an IANA time zone such as Europe/Madrid.');
  return text;
}

function isTimezone(name: string): boolean {
  try {
    // Intl accepts an offset such as "+02:00", which is not a time zone: it has no daylight saving time.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}

const DAYS_MAX = 3650;

const DAY_MS = 86_400_000;

/** The time in so many days, by the installation's clock. */
export const afterDays =
  ({ service }: CommandContext) =>
  (days: number): Date =>
    service.ports.clock.after(days * DAY_MS);

export const readDaysOrNever = (text: string): number | 'never' => (text === 'never' ? text : readDays(text));

const OVERLAP_MAX_SECONDS = 2_592_000;

export function readOverlap(text: string): number {
  const seconds = Number(text);
  if (!/^[0-9]{1,8}$/.test(text) || seconds > OVERLAP_MAX_SECONDS)
    throw new InvalidArgumentError(
      `Expected a whole number of seconds, 0 to ${OVERLAP_MAX_SECONDS} (30 days).`,
    );
  return seconds;
}

/** A whole number in a range. */
export const readWithin =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text);
    if (!/^[0-9]{1,8}$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(`Expected a whole number, ${min} to ${max}.`);
    return number;
  };

function readDays(text: string): number {
  const days = Number(text);
  if (!/^[0-9]+$/.test(text) || days < 1 || days > DAYS_MAX)
    throw new InvalidArgumentError(`Expected a whole number of days, 1 to ${DAYS_MAX}.`);
  return days;
}
