import { oauthServer, type Bearer } from '../wire/oauth-server.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { linkedInRoutes, refuseLinkedIn } from './api.js';
import { linkedInStore } from './linkedin-store.js';
import { linkedInBadToken, notFound } from './errors.js';
import { uploadRoutes } from './upload-routes.js';

export interface LinkedInOptions extends PlatformOptions {
  readonly pages?: readonly (typeof BAKERY)[];
  /** The products of its apps: every app's two, or the exclusive one. */
  readonly product?: 'share' | 'community';
  /**
   * LinkedIn rejects identical text within a day; false: it accepts it, for tests of indistinguishable posts.
   */
  readonly refusesDuplicates?: boolean;
  readonly postsPerDay?: number;
  /** Member metric finders that its version does not support. */
  readonly untold?: readonly string[];
}

export const LINKEDIN_SCOPES = {
  share: ['openid', 'profile', 'email', 'w_member_social'],
  community: [
    ...['r_basicprofile', 'r_1st_connections_size', 'w_member_social', 'w_member_social_feed'],
    ...['r_member_postAnalytics', 'r_member_profileAnalytics', 'rw_organization_admin'],
    ...['r_organization_followers', 'r_organization_social', 'w_organization_social'],
    ...['r_organization_social_feed', 'w_organization_social_feed'],
  ],
} as const;

const ALICE = {
  id: 'yrZCpj2Z12',
  firstName: 'Alice',
  lastName: 'Field',
  vanityName: 'alice-field',
  followers: 321,
};
const BAKERY = {
  id: '2414183',
  name: 'Field Bakery',
  vanityName: 'field-bakery',
  followers: 1_200,
  /** The member's role in the organization. */
  role: 'ADMINISTRATOR',
};
const DAY_SECONDS = 86_400;

const openState = ({ now = () => new Date(), ...rules }: LinkedInOptions) => ({
  member: ALICE,
  pages: rules.pages ?? [BAKERY],
  books: linkedInStore(now),
  uploads: uploadRoutes(now),
  now,
  refusesDuplicates: rules.refusesDuplicates ?? true,
  postsPerDay: rules.postsPerDay ?? 150,
  untold: rules.untold ?? [],
});
export type ApiWorld = ReturnType<typeof openState>;

/**
 * LinkedIn according to learn.microsoft.com/linkedin (packages/platforms/src/linkedin/NOTES.md), without a
 * socket.
 */
export function linkedInNetwork(options: LinkedInOptions = {}) {
  const { apps = [], product = 'community' } = options;
  const state = openState(options);
  const { books, now, pages, uploads } = state;
  const tokens = oauthServer({
    apps,
    now,
    account: ALICE.id,
    paths: { authorize: '/oauth/v2/authorization', token: '/oauth/v2/accessToken' },
    knows: (scope) => (LINKEDIN_SCOPES[product] as readonly string[]).includes(scope),
    codeSeconds: 1_800,
    accessSeconds: 60 * DAY_SECONDS,
    refresh: { seconds: 365 * DAY_SECONDS, rotates: false, fixed: true, field: 'refresh_token_expires_in' },
    // Requested with spaces as separators, and returned with commas.
    present: (stated, { scopes }) => ({ ...stated, scope: scopes.join(',') }),
    denied: { error: 'user_cancelled_authorize', error_description: 'The user cancelled the authorization' },
  });

  return {
    tokens,
    books,
    uploads,
    member: ALICE,
    pages,
    setOrigin: uploads.setOrigin,
    ...defineSimulator<ApiWorld, Bearer>({
      state,
      oauth: tokens,
      // Knowledge of the URL is the permission.
      open: { 'PUT /dms-uploads/sp/v2/:id/uploaded-:kind/:start': (_, request) => uploads.put(request) },
      routes: linkedInRoutes,
      ownerOf: tokens.bearerOf,
      refuses: (request) => refuseLinkedIn(request),
      unauthorized: linkedInBadToken,
      notFound: notFound('Resource'),
    }),
  };
}

export const startLinkedIn = starter(linkedInNetwork);
