import { oauthServer, type Bearer } from '../wire/oauth-server.js';
import { requireScopes, type Route, type RoutedRequest, type Routes } from '../wire/routes.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { okResponse, fieldsOf, textOf, type WireResponse } from '../wire/exchange.js';
import { BOARDS, presentBoard, type PinterestBoard } from './boards.js';
import { mediaRoutes } from './media-routes.js';
import { pinStore } from './pin-store.js';
import { presentPin } from './present-pin.js';
import { invalid, noSuchBoard, noSuchPin, notAllowed, notAuthenticated, problem } from './problems.js';
import { rateWindows, STANDARD_LIMITS, type RateCategory, type RateLimits } from './rate-windows.js';
import { readSource } from './read-source.js';

interface PinterestAccount {
  readonly id: string;
  readonly username: string;
  readonly businessName: string | null;
  readonly followers: number;
}

export interface PinterestOptions extends PlatformOptions {
  readonly account?: PinterestAccount;
  readonly boards?: readonly PinterestBoard[];
  readonly limits?: RateLimits;
  /** Pinterest's rewrite of a link; by default unchanged. */
  readonly linkAs?: (link: string) => string;
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

const openState = ({ now = () => new Date(), account = ALICE, ...rules }: PinterestOptions) => ({
  account,
  now,
  boards: rules.boards ?? BOARDS,
  linkAs: rules.linkAs ?? ((link: string) => link),
  counted: rateWindows(now, rules.limits ?? STANDARD_LIMITS),
  pins: pinStore(now),
  media: mediaRoutes(),
  trial: false,
});
type PinterestState = ReturnType<typeof openState>;
type PinterestRequest = RoutedRequest<Bearer>;
type PinterestRoute = Route<PinterestState, Bearer>;

const needs = requireScopes(() => notAllowed);
/** Counts a request in its category, even if the token may not make it. */
const may =
  (category: RateCategory, scopes: readonly string[], route: PinterestRoute): PinterestRoute =>
  (state, request) =>
    state.counted(request.owner.account, category, () => needs(scopes, route)(state, request));
const READS_PINS = ['boards:read', 'pins:read'];
const WRITES_PINS = [...READS_PINS, 'boards:write', 'pins:write'];

const routes: Routes<PinterestState, Bearer> = {
  'GET /v5/user_account': may('org_read', ['user_accounts:read'], readAccount),
  'GET /v5/boards': may('org_read', ['boards:read'], ({ boards, account }, { query }) =>
    page(query, boards, (board) => presentBoard(board, account.username)),
  ),
  'GET /v5/boards/:id/sections': may('org_read', ['boards:read'], listSections),
  'GET /v5/pins': may('org_read', READS_PINS, listPins),
  'POST /v5/pins': may('org_write', WRITES_PINS, createPin),
  'GET /v5/pins/:id': may('org_read', READS_PINS, readPin),
  'DELETE /v5/pins/:id': may('org_write', WRITES_PINS, deletePin),
  'POST /v5/media': may('org_write', ['pins:read', 'pins:write'], ({ media }, { owner, body }) =>
    media.register(owner.account, body),
  ),
  'GET /v5/media/:id': may('org_read', ['pins:read'], ({ media }, { owner, params }) =>
    media.look(owner.account, params['id'] ?? ''),
  ),
};

/** Pinterest according to its API description and documentation, without a socket. */
export function pinterestNetwork(options: PinterestOptions = {}) {
  const state = openState(options);
  const { account, media, now } = state;
  const refreshSeconds = 60 * DAY_SECONDS;
  const oauth = oauthServer({
    apps: options.apps ?? [],
    now,
    account: account.id,
    separator: ',',
    knows: (scope) => PINTEREST_SCOPES.includes(scope),
    paths: { authorize: '/oauth/', token: '/v5/oauth/token' },
    clientAuth: 'header',
    accessSeconds: 30 * DAY_SECONDS,
    refresh: { seconds: refreshSeconds, rotates: true, fixed: false, field: 'refresh_token_expires_in' },
    present: (token) => ({
      ...token,
      refresh_token_expires_at: Math.floor(now().getTime() / 1_000) + refreshSeconds,
    }),
    // The same error format everywhere (pinterest/pinterest-python-sdk#114).
    refuse: (error) =>
      error === 'invalid_client' ? notAuthenticated : problem(401, 283, 'The authorization grant is invalid'),
  });

  return {
    account,
    boards: state.boards,
    pins: state.pins,
    media,
    oauth,
    setOrigin: media.setOrigin,
    ...defineSimulator<PinterestState, Bearer>({
      state,
      oauth,
      open: { 'POST /pinterest-media-upload/': ({ media: storage }, request) => storage.upload(request) },
      routes,
      ownerOf: oauth.bearerOf,
      unauthorized: notAuthenticated,
      notFound: problem(404, 404, 'Not found.'),
    }),
    /** Whether the app has trial access only from now on. */
    onTrial: (is: boolean) => void (state.trial = is),
  };
}

export const startPinterest = starter(pinterestNetwork);

function createPin(state: PinterestState, { body, owner }: PinterestRequest): WireResponse {
  const { boards, media, pins } = state;
  const accountId = owner.account;
  if (state.trial) {
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
  const created = pins.create({
    accountId,
    boardId,
    sectionId,
    ...source,
    link: link && state.linkAs(link),
    title: textOf(fields['title']) || null,
    description: textOf(fields['description']) || null,
    altText: textOf(fields['alt_text']) || null,
  });
  return { status: 201, json: presentPin(created, false) };
}

function readPin({ pins }: PinterestState, { params, query, owner }: PinterestRequest): WireResponse {
  const found = pins.find(params['id'] ?? '');
  const withMetrics = query.get('pin_metrics') === 'true';
  return found?.accountId === owner.account ? okResponse(presentPin(found, withMetrics)) : noSuchPin;
}

function deletePin({ pins }: PinterestState, { params, owner }: PinterestRequest): WireResponse {
  const found = pins.find(params['id'] ?? '');
  if (found?.accountId !== owner.account) return noSuchPin;
  pins.remove(found.id);
  return { status: 204 };
}

function listPins({ pins }: PinterestState, { query, owner }: PinterestRequest): WireResponse {
  const withMetrics = query.get('pin_metrics') === 'true';
  const own = pins.list(({ accountId }) => accountId === owner.account);
  return page(query, own, (pin) => presentPin(pin, withMetrics));
}

function listSections({ boards }: PinterestState, { params, query }: PinterestRequest): WireResponse {
  const board = boards.find(({ id }) => id === params['id']);
  return board ? page(query, board.sections, (section) => section) : noSuchBoard;
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

function readAccount({ account }: PinterestState): WireResponse {
  return okResponse({
    id: account.id,
    username: account.username,
    business_name: account.businessName,
    about: '',
    follower_count: account.followers,
    profile_image: 'https://i.pinimg.com/280x280_RS/alice.jpg',
  });
}
