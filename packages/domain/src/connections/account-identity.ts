import type { Manifest } from '../ports/manifest.js';
import type { Connection } from './connection.js';

/**
 * The identity of an account. Ids are opaque texts, and two servers of one platform may issue the same one.
 */
export interface AccountIdentity {
  readonly platform: string;
  /** See `accountServerOf`. */
  readonly server: string;
  readonly id: string;
}

/**
 * The scope of an account's id: its server without the protocol, so that a store that moves to HTTPS stays
 * the same account; empty where the platform's ids are globally unique.
 */
export function accountServerOf(
  { baseUrl, accountIds }: Pick<Manifest, 'baseUrl' | 'accountIds'>,
  server: string | null,
): string {
  if (accountIds === 'global' || baseUrl !== null || server === null) return '';
  return server.replace(/^https?:\/\//, '').replace(/\/+$/, '');
}

export const identityOf = ({
  platform,
  accountServer,
  account,
}: Pick<Connection, 'platform' | 'accountServer' | 'account'>): AccountIdentity => ({
  platform,
  server: accountServer,
  id: account.id,
});

export const isSameAccount = (one: AccountIdentity, other: AccountIdentity): boolean =>
  one.platform === other.platform && one.server === other.server && one.id === other.id;
