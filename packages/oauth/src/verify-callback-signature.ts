import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret, SignedCallback } from '@switchboard/domain';

/** How old a signature may be, and how far ahead of our clock: a browser brings it at once. */
const AGE_SECONDS = 300;

/** Whether the platform wrote this query for the app with this secret, just now. */
export function verifyCallbackSignature(
  { parameter, timestamp }: SignedCallback,
  parameters: Readonly<Record<string, string>>,
  appSecret: Secret,
  now: Date,
): boolean {
  const { [parameter]: signature, ...signed } = parameters;
  if (signature === undefined || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const sorted = Object.entries(signed).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = new URLSearchParams(sorted).toString();
  const expected = createHmac('sha256', appSecret.reveal()).update(text).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex'))) return false;
  const at = signed[timestamp] ?? '';
  return /^\d{1,12}$/.test(at) && Math.abs(now.getTime() / 1_000 - Number(at)) <= AGE_SECONDS;
}
