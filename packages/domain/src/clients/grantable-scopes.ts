import type { ApiKey } from '../access/api-key.js';
import { scopes, type Scope } from '../access/scope.js';

/** Scopes that no client can be granted, whatever its key holds: they administer, decide or reveal. */
const neverGranted: readonly Scope[] = ['keys:admin', 'workspace:admin', 'approvals:write', 'audit:read'];

/** Every scope that a client may be granted, for the metadata documents. */
export const grantableScopes: readonly Scope[] = scopes.filter((scope) => !neverGranted.includes(scope));

/** The scopes of a key that a client may be granted. Refunds require a ceiling, so that a client has a limit. */
export const listGrantableScopes = (
  { scopes: held }: Pick<ApiKey, 'scopes'>,
  hasRefundCeiling: boolean,
): readonly Scope[] =>
  grantableScopes.filter((scope) => held.includes(scope) && (scope !== 'refunds:write' || hasRefundCeiling));
