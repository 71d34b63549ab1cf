import { refuse, type Refusal, type Session } from '@switchboard/platform-kit';
import { isPage } from './connecting.js';

/**
 * For a login that may not read, nothing proves absence: the outcome of a member's own post requires a manual
 * check.
 */
export const canRead = ({ account, grantedPermissions }: Session, permission: string): boolean =>
  isPage(account.id) || grantedPermissions.includes(permission);

export const readingNotPermitted = (what: string): Refusal<'platform.permission_missing'> =>
  refuse('platform.permission_missing', `LinkedIn does not let this app read the ${what}s of this account.`);

export const readNotPermitted = (what: string): Refusal<'platform.outcome_unknown'> =>
  refuse(
    'platform.outcome_unknown',
    `LinkedIn does not let apps read a member’s own ${what}s, so it is unknown whether this ${what} was published. Check the account.`,
  );
