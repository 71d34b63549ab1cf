import { codeExchange, type OAuthApp } from '../wire/code-exchange.js';
import { okResponse, fieldsOf, textOf, type WireResponse, type WireRequest } from '../wire/exchange.js';
import { BOARDS, presentBoard, type PinterestBoard } from './boards.js';
import { mediaRoutes } from './media-routes.js';
import { pinStore, type Pin } from './pin-store.js';
import { presentPin } from './present-pin.js';
import { invalid, noSuchBoard, noSuchPin, notAllowed, notAuthenticated, problem } from './problems.js';
import { rateWindows, STANDARD_LIMITS, type RateCategory, type RateLimits } from './rate-windows.js';
import { readSource } from './read-source.js';

export interface PinterestAccount {
  readonly id: string;
  readonly username: string;
  readonly businessName: string | null;
  readonly followers: number;
}

export interface PinterestOptions {
  readonly now?: () => Date;
  readonly account?: PinterestAccount;
  readonly boards?: readonly PinterestBoard[];
  readonly apps?: readonly OAuthApp[];
  readonly limits?: RateLimits;
  /** Pinterest's rewrite of a link; by default unchanged. */
  readonly linkAs?: (link: string) => string;
}

export interface PinterestBearer {
  readonly accountId: string;
  readonly scopes: readonly string[];
}

export const PINTEREST_SCOPES = [
  'boards:read',
  'boards:write',
  'pins:read',
  'pins:write',
  'user_accounts:read',
];

const ALICE: PinterestAccount = {
  id: '2783136121146311751',
  username: 'alice',
  businessName: 'Alice cooks',
  followers: 12,
};
const DAY_SECONDS = 86_400;
const LENGTH_LIMITS = { title: 100, description: 800, link: 2_048, alt_text: 500 } as const;
const [PAGE, PAGE_MAX] = [25, 250];

/** Pinterest according to its API description and documentation, without a socket. */
export function pinterestNetwork(options: PinterestOptions = {}) {
  const { account = ALICE, boards = BOARDS, linkAs = (link) => link } = options;
  const now = options.now ?? (() => new Date());
  const pins = pinStore(now);
  const media = mediaRoutes();
  const counted = rateWindows(now, options.limits ?? STANDARD_LIMITS);
  let trial = false;
  const refreshSeconds = 60 * DAY_SECONDS;
  const oauth = codeExchange({
    apps: options.apps ?? [],
    now,
    account: account.id,
    separator: ',',
    knows: (scope) => PINTEREST_SCOPES.includes(scope),
    paths: { authorize: '/oauth/', token: '/v5/oauth/token' },
    clientAuth: 'header',
    pkce: 'optional',
    codeSeconds: 600,
    accessSeconds: 30 * DAY_SECONDS,
    refresh: { seconds: refreshSeconds, rotates: true, fixed: false, field: 'refresh_token_expires_in' },
    present: (token) => ({
      ...token,
      refresh_token_expires_at: Math.floor(now().getTime() / 1_000) + refreshSeconds,
    }),
  });

  function signIn(request: WireRequest): WireResponse | null {
    const provided = oauth.serve(request);
    const { error } = fieldsOf(provided?.json);
    if (!provided || error === undefined) return provided;
    // The same error format everywhere (pinterest/pinterest-python-sdk#114).
    return error === 'invalid_client'
      ? notAuthenticated
      : problem(401, 283, 'The authorization grant is invalid');
  }

  function create(body: unknown, accountId: string): WireResponse {
    if (trial) {
      return problem(403, 29, 'Apps with Trial access may not create Pins in production');
    }
    const fields = fieldsOf(body);
    for (const [name, max] of Object.entries(LENGTH_LIMITS)) {
      const value = fields[name] ?? '';
      if (typeof value !== 'string' || [...value].length > max) {
        return invalid(`Invalid request: ${name} is longer than the maximum of ${max} characters.`);
      }
    }
    const [boardId, sectionId] = [textOf(fields['board_id']), textOf(fields['board_section_id']) || null];
    if (!/^\d+$/.test(boardId)) return invalid(`Invalid request: '${boardId}' does not match '^\\d+$'`);
    const board = boards.find(({ id }) => id === boardId);
    if (!board) return noSuchBoard;
    if (sectionId !== null && !board.sections.some(({ id }) => id === sectionId)) {
      return problem(404, 2_031, 'Board section not found.');
    }
    const link = textOf(fields['link']) || null;
    if (link !== null && !URL.canParse(link)) return invalid('Invalid request: link is not a URL.');
    const source = readSource(fields['media_source'], accountId, media);
    if ('status' in source) return source;
    const created = pins.pin({
      accountId,
      boardId,
      sectionId,
      ...source,
      link: link && linkAs(link),
      title: textOf(fields['title']) || null,
      description: textOf(fields['description']) || null,
      altText: textOf(fields['alt_text']) || null,
    });
    return { status: 201, json: presentPin(created, account.username, false) };
  }

  function one(id: string, accountId: string, then: (pin: Pin) => WireResponse): WireResponse {
    const found = pins.find(id);
    return found?.accountId === accountId ? then(found) : noSuchPin;
  }

  function page<Item>(query: URLSearchParams, all: readonly Item[], present: (item: Item) => unknown) {
    const size = Number(query.get('page_size') ?? PAGE);
    if (!(size >= 1 && size <= PAGE_MAX)) return invalid(`Invalid page_size: 1 to ${PAGE_MAX}.`);
    const at = Number(Buffer.from(query.get('bookmark') ?? '', 'base64url').toString() || 0);
    const bookmark = Buffer.from(String(at + size)).toString('base64url');
    return okResponse({
      items: all.slice(at, at + size).map(present),
      bookmark: at + size < all.length ? bookmark : null,
    });
  }

  const me = () =>
    okResponse({
      id: account.id,
      username: account.username,
      business_name: account.businessName,
      account_type: 'BUSINESS',
      about: '',
      website_url: '',
      follower_count: account.followers,
      following_count: 7,
      board_count: boards.length,
      pin_count: pins.createdCount(),
      monthly_views: 163,
      profile_image: 'https://i.pinimg.com/280x280_RS/alice.jpg',
    });

  function respondAs(request: WireRequest, bearer: PinterestBearer | null): WireResponse {
    const open = signIn(request) ?? media.serveUpload(request);
    if (open) return open;
    if (!bearer) return notAuthenticated;
    const { method, path, query, body } = request;
    const { accountId, scopes } = bearer;
    const may = (category: RateCategory, needed: readonly string[], then: () => WireResponse) =>
      counted(accountId, category, () =>
        needed.every((scope) => scopes.includes(scope)) ? then() : notAllowed,
      );
    const [, pinId = ''] = /^\/v5\/pins\/([^/]+)$/.exec(path) ?? [];
    const [, mediaId = ''] = /^\/v5\/media\/([^/]+)$/.exec(path) ?? [];
    const [, boardId = ''] = /^\/v5\/boards\/([^/]+)\/sections$/.exec(path) ?? [];
    const withMetrics = query.get('pin_metrics') === 'true';
    const shown = (pin: Pin) => presentPin(pin, account.username, withMetrics);
    const readsPins = ['boards:read', 'pins:read'];
    const writesPins = [...readsPins, 'boards:write', 'pins:write'];
    switch (`${method} ${path}`) {
      case 'GET /v5/user_account':
        return may('org_read', ['user_accounts:read'], me);
      case 'GET /v5/boards':
        return may('org_read', ['boards:read'], () =>
          page(query, boards, (board) => presentBoard(board, account.username)),
        );
      case `GET /v5/boards/${boardId}/sections`:
        return may('org_read', ['boards:read'], () => {
          const board = boards.find(({ id }) => id === boardId);
          return board ? page(query, board.sections, (section) => section) : noSuchBoard;
        });
      case 'GET /v5/pins':
        return may('org_read', readsPins, () => page(query, pins.of(accountId), shown));
      case 'POST /v5/pins':
        return may('org_write', writesPins, () => create(body, accountId));
      case `GET /v5/pins/${pinId}`:
        return may('org_read', readsPins, () => one(pinId, accountId, (pin) => okResponse(shown(pin))));
      case `DELETE /v5/pins/${pinId}`:
        return may('org_write', writesPins, () =>
          one(pinId, accountId, (pin) => {
            pins.remove(pin.id);
            return { status: 204 };
          }),
        );
      case 'POST /v5/media':
        return may('org_write', ['pins:read', 'pins:write'], () => media.register(accountId, body));
      case `GET /v5/media/${mediaId}`:
        return may('org_read', ['pins:read'], () => media.look(accountId, mediaId));
      default:
        return problem(404, 404, 'Not found.');
    }
  }

  return {
    account,
    boards,
    pins,
    media,
    oauth,
    respondAs,
    /** Whether the app has trial access only from now on. */
    onTrial: (is: boolean) => void (trial = is),
  };
}

export type PinterestNetwork = ReturnType<typeof pinterestNetwork>;
