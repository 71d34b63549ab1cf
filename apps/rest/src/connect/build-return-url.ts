import type { ConnectSession } from '@switchboard/domain/connections';

/**
 * The return URL of the workspace with the outcome in its query; null when none was given or there is no
 * outcome yet.
 */
export function buildReturnUrl({
  id,
  status,
  returnUrl,
  connectionIds,
  error,
}: ConnectSession): string | null {
  if (returnUrl === null || status === 'pending') return null;
  const url = new URL(returnUrl);
  url.searchParams.set('session_id', id);
  url.searchParams.set('status', status === 'expired' ? 'failed' : status);
  if (status === 'connected') url.searchParams.set('connection_ids', connectionIds.join(','));
  if (status === 'failed' || status === 'expired') url.searchParams.set('error', error?.code ?? status);
  return url.href;
}
