import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '@switchboard/domain';

/** Whether a header has the base64 of the content's HMAC-SHA256, in a time that does not depend on either. */
export function isSigned(
  signature: string | undefined,
  secret: Secret,
  content: readonly (string | Uint8Array)[],
): boolean {
  const expected = createHmac('sha256', secret.reveal());
  for (const part of content) expected.update(part);
  return isSameText(signature, expected.digest('base64'));
}

export const isSameText = (given: string | undefined, expected: string): boolean =>
  given !== undefined && timingSafeEqual(digest(given), digest(expected));

/** Of equal length for all texts, as the comparison requires. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
