import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@switchboard/domain';
import type { SignedCallback } from '@switchboard/domain/ports';

/** The maximum age of a signature, and how far its clock may run ahead: a browser delivers it at once. */
const AGE_SECONDS = 300;

/** Whether the platform signed this query with the app's secret, recently. */
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
