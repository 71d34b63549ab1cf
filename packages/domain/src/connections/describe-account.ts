import { plainName } from '../plain-name.js';
import type { RemoteAccount } from './connection.js';

const NAME_CHARACTERS = 40;
const handle = /^@?[\p{L}\p{N}_][\p{L}\p{N}._@+-]{0,59}$/u;

/**
 * An account as sentences name it: `@ada (Mastodon)`, or `“Lumen Coffee” (Facebook)` where it has no handle.
 * Both are third-party text and reduced to names.
 */
export function describeAccount(
  { username, name }: Pick<RemoteAccount, 'username' | 'name'>,
  platformName: string,
): string {
  if (username !== null && handle.test(username)) return `@${username.replace(/^@/, '')} (${platformName})`;
  const displayName = plainName(name ?? username ?? '', NAME_CHARACTERS);
  return displayName === '' ? `an account (${platformName})` : `“${displayName}” (${platformName})`;
}
