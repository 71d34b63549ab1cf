import { refuse, type Refusal, type Session } from '@switchboard/domain';
import { isPage } from './connecting.js';

/** Who may not read is not told that nothing is there: what became of a member's own post only a person can see. */
export const canRead = ({ account, grantedPermissions }: Session, permission: string): boolean =>
  isPage(account.id) || grantedPermissions.includes(permission);

export const readNotPermitted = (what: string): Refusal<'platform.outcome_unknown'> =>
  refuse(
    'platform.outcome_unknown',
    `LinkedIn lets nobody look up a member’s own ${what}s, so that nobody can tell whether this ${what} is out. Look at the account.`,
  );
