import type { Session } from '@switchboard/platform-kit';

/**
 * Accounts are shown with their server, as people write them; the connection's identity distinguishes them.
 */
export const globalId = (localId: string, { baseUrl }: Pick<Session, 'baseUrl'>): string =>
  `${localId}@${new URL(baseUrl).host}`;

/** The server's own ID, which is opaque. */
export const localId = ({ account: { id } }: Pick<Session, 'account'>): string => {
  const at = id.lastIndexOf('@');
  return encodeURIComponent(at === -1 ? id : id.slice(0, at));
};
