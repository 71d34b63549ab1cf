import type { ConnectMethod } from '@switchboard/domain/ports';

/** The code flow, with the application's secret: its refresh token does not expire (NOTES.md). */
export const oauthConnectMethod = (permissions: readonly string[]): ConnectMethod => ({
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue to Square',
  fields: [],
  needsApp: true,
  oauth2: {
    authorizePath: '/oauth2/authorize',
    tokenPath: '/oauth2/token',
    revokePath: '/oauth2/revoke',
    permissions,
    // With a code challenge Square treats it as an app without a secret, whose refresh tokens expire after 90
    // days.
    pkce: false,
    clientAuth: 'body',
    // Forces a login even with an active session, which may be of another business.
    authorizeParams: { session: 'false' },
    issuerPath: null,
    tokenBody: 'json',
    tokenErrors: {
      ended: ['bad_request', 'not_found', 'ACCESS_TOKEN_REVOKED'],
      app: ['service.not_authorized'],
    },
    revocation: 'secret',
    grantAccountField: 'merchant_id',
  },
});
