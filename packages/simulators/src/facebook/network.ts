import type { WireResponse, WireRequest } from '../wire/exchange.js';
import { asMe, badToken, unknownPath, type GraphBearer } from '../meta/graph.js';
import { graphBearerOf } from '../meta/long-lived-tokens.js';
import { createRouter } from '../wire/routes.js';
import { starter, type PlatformOptions } from '../wire/simulator.js';
import { videoUploadRoutes } from './video-upload-routes.js';
import { createVideoUploads } from './video-uploads.js';
import { pageRoutes } from './page-api.js';
import { pageStore } from './page-store.js';
import { ALL_TASKS, pageLogins } from './page-logins.js';
import type { FacebookPage } from './present.js';
import { reelUploadRoutes } from './reel-upload-routes.js';
import type { FacebookUser } from './user-api.js';

export interface FacebookOptions extends PlatformOptions {
  readonly pages?: readonly FacebookPage[];
  readonly user?: FacebookUser;
  /** Facebook rejects a post with identical text; false: it accepts it, for tests of indistinguishable posts. */
  readonly refusesDuplicates?: boolean;
}

export const FACEBOOK_PERMISSIONS = [
  ...['pages_show_list', 'pages_manage_posts', 'pages_manage_engagement', 'pages_read_engagement'],
  ...['pages_read_user_content', 'read_insights', 'business_management'],
] as const;

const PAGES: readonly FacebookPage[] = [
  { id: '100000000000001', name: 'Bakery', username: 'bakery', followers: 12, tasks: ALL_TASKS },
  { id: '100000000000002', name: 'Bookshop', username: 'bookshop', followers: 7, tasks: ALL_TASKS },
  {
    id: '100000000000003',
    name: 'Café',
    username: 'cafe',
    followers: 3,
    tasks: ['ADVERTISE', 'ANALYZE'],
  },
];
const ALICE: FacebookUser = {
  id: '10150000000000001',
  name: 'Alice',
  pages: PAGES.map(({ id }) => id),
  businesses: [],
};
const VERSION = /^v2[0-9]\.0$/;

function openWorld({ now = () => new Date(), pages = PAGES, refusesDuplicates = true }: FacebookOptions) {
  const book = pageStore(now);
  const uploads = createVideoUploads(book, now);
  return {
    now,
    pages: new Map(pages.map((page) => [page.id, page])),
    book,
    uploads,
    videos: videoUploadRoutes(uploads),
    reels: reelUploadRoutes(uploads),
    refusesDuplicates,
  };
}
export type PageWorld = ReturnType<typeof openWorld>;

/**
 * Facebook according to its documentation, without a socket: a user's login, and those of the pages it
 * manages.
 */
export function facebookNetwork(options: FacebookOptions = {}) {
  const { apps = [], user = ALICE } = options;
  const world = openWorld(options);
  const { now, pages, book, uploads, videos, reels } = world;
  const withheld = new Set<string>();
  const logins = pageLogins({ now, apps, user, pages, permissions: FACEBOOK_PERMISSIONS });
  const { tokens } = logins;
  const ofPages = createRouter(pageRoutes);
  const ownerOf = graphBearerOf(tokens);

  /** The response for a caller with these permissions; null: anonymous. */
  function respondAs(request: WireRequest, granted: GraphBearer | null): WireResponse {
    const open = logins.open(request);
    if (open) return open;
    if (!granted) return badToken;
    const permissions = granted.permissions.filter((permission) => !withheld.has(permission));
    const bearer = { ...granted, permissions };
    const { accountId } = bearer;
    if (request.path.startsWith('/video-upload/')) return reels.receive(accountId, request);
    const [, version = '', node = '', edge = '', more] = request.path.split('/');
    if (!VERSION.test(version) || node === '' || more !== undefined) return unknownPath;
    return pages.has(accountId)
      ? (ofPages(world, asMe(request, accountId), bearer) ?? unknownPath)
      : logins.ofUsers.serve(request, bearer, node, edge);
  }

  return {
    now,
    tokens,
    book,
    videos: { ...uploads, setPieceBytes: videos.setPieceBytes },
    withdraw: logins.withdraw,
    /** Permissions that no token has anymore, although they were granted: the page removed the task. */
    withhold(permissions: readonly string[]): void {
      withheld.clear();
      permissions.forEach((permission) => withheld.add(permission));
    },
    respondAs,
    respond: (request: WireRequest) => respondAs(request, ownerOf(request)),
  };
}

export const startFacebook = starter(facebookNetwork);
