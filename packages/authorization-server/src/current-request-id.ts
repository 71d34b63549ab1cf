import Provider from 'oidc-provider';

/** The id of the request that the library serves at the moment, for logs and audit rows; empty outside one. */
export function currentRequestId(): string {
  const id = Provider.ctx?.res.getHeader('x-request-id');
  return typeof id === 'string' ? id : '';
}
