import {
  ok,
  refuse,
  type PlatformFailureCode,
  type Refused,
  type Result,
  type Session,
} from '@switchboard/domain';
import { isPage } from './connecting.js';

/** How far LinkedIn's clock may be behind ours. */
export const CLOCKS_MS = 5_000;

/** Who may not read is not told that nothing is there: what became of a member's own post only a person can see. */
export const mayRead = ({ account, grantedPermissions }: Session, permission: string): boolean =>
  isPage(account.id) || grantedPermissions.includes(permission);

export const cannotBeRead = (what: string): Refused<'platform.outcome_unknown'> =>
  refuse(
    'platform.outcome_unknown',
    `LinkedIn lets nobody look up a member’s own ${what}s, so that nobody can tell whether this ${what} is out. Look at the account.`,
  );

/** The only one that it may be. Several are for a person. */
export function onlyOne<Value>(
  same: readonly Value[],
  what: string,
): Result<Value | null, Extract<PlatformFailureCode, 'platform.outcome_unknown'>> {
  return same.length > 1
    ? refuse('platform.outcome_unknown', `Several ${what}s of the account have these words.`)
    : ok(same[0] ?? null);
}
