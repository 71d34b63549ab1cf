import type { ConnectMethod } from '@switchboard/domain';

/** The code flow, with the application's secret: its refresh token is good for ever (NOTES.md). */
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
    // With a challenge Square takes it for an app without a secret, whose refresh tokens end after 90 days.
    pkce: false,
    clientAuth: 'body',
    // Asks who it is even where somebody is logged in, who may be of another business.
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
