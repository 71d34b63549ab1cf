import type { Session } from '@switchboard/domain';

/** Servers number their accounts for themselves, so that an account is one only together with its server. */
export const globalId = (localId: string, { baseUrl }: Pick<Session, 'baseUrl'>): string =>
  `${localId}@${new URL(baseUrl).host}`;

export const localId = ({ account }: Pick<Session, 'account'>): string =>
  encodeURIComponent(account.id.split('@')[0] ?? '');
