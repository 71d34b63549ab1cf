import type { FetchFile } from '../meta/fetched-file.js';
import {
  fieldsOf,
  okResponse,
  type Read,
  type SimulatedResponse,
  type WireResponse,
} from '../wire/exchange.js';
import { oauthServer, type Bearer } from '../wire/oauth-server.js';
import { numbersFrom, objectStore, type StoredObject } from '../wire/object-store.js';
import { uploadProcessing } from '../wire/processing.js';
import type { RoutedRequest, Routes } from '../wire/routes.js';
import { defineSimulator, starter, type PlatformOptions } from '../wire/simulator.js';
import { badRequest, insufficientScopes, notFound, serviceDisabled, unauthenticated } from './errors.js';
import { ACCOUNTS, LOCATIONS, presentLocation } from './locations.js';
import { queryPerformance } from './performance.js';
import { readContent, readLocalPost, unknownField } from './read-local-post.js';

export interface GoogleBusinessProfileOptions extends PlatformOptions {
  /** Omitted: no image can be fetched. */
  readonly fetchFile?: FetchFile;
}

/** A post as the business has it. */
export interface LocalPost extends Read<typeof readLocalPost>, StoredObject {
  readonly updatedAt: Date | null;
  /** `accounts/{account}/locations/{location}`. */
  readonly parent: string;
}

export const BUSINESS_MANAGE = 'https://www.googleapis.com/auth/business.manage';
/** The Google user who consents. */
const USER = 'alice@example.com';

const openState = ({
  now = () => new Date(),
  fetchFile = async () => null,
}: GoogleBusinessProfileOptions) => ({
  now,
  locations: LOCATIONS,
  fetchFile,
  posts: objectStore<LocalPost>(now, numbersFrom(4_611_686_018_427_387_905n)),
  processing: uploadProcessing(),
  isEnabled: true,
});
type BusinessState = ReturnType<typeof openState>;
type BusinessRequest = RoutedRequest<Bearer>;

const POSTS = '/v4/accounts/:account/locations/:location/localPosts';
/** The paths of the four APIs do not overlap, so one origin serves all of them. */
const routes: Routes<BusinessState, Bearer, SimulatedResponse> = {
  'GET /v1/accounts': (_state, { query }) =>
    page(query, ACCOUNTS, { size: 20, max: 20, name: 'accounts' }, (account) => account),
  'GET /v1/accounts/:account/locations': listLocations,
  'GET /v1/locations/:location': readLocation,
  [`POST ${POSTS}`]: createPost,
  [`GET ${POSTS}`]: listPosts,
  [`GET ${POSTS}/:post`]: readPost,
  [`PATCH ${POSTS}/:post`]: patchPost,
  [`DELETE ${POSTS}/:post`]: deletePost,
};

/** Google Business Profile according to developers.google.com/my-business, without a socket. */
export function googleBusinessProfileNetwork(options: GoogleBusinessProfileOptions = {}) {
  const state = openState(options);
  const { now, posts, processing, locations } = state;
  const oauth = oauthServer({
    apps: options.apps ?? [],
    now,
    account: USER,
    knows: (scope) => scope === BUSINESS_MANAGE,
    paths: { authorize: '/o/oauth2/v2/auth', token: '/token', revoke: '/revoke' },
    accessSeconds: 3_599,
    refresh: { seconds: 20 * 365 * 86_400, rotates: false, fixed: true },
  });

  return {
    user: USER,
    locations,
    posts,
    processing,
    oauth,
    /** By the name of its resource. */
    find: (name: string) => posts.find(name.split('/').at(-1) ?? ''),
    remove: (name: string) => posts.remove(name.split('/').at(-1) ?? ''),
    ...defineSimulator<BusinessState, Bearer, SimulatedResponse>({
      state,
      oauth,
      routes,
      ownerOf: oauth.bearerOf,
      refuses: (_request, { scopes }) => (scopes.includes(BUSINESS_MANAGE) ? null : insufficientScopes),
      unauthorized: unauthenticated,
      notFound,
    }),
    /** Whether version 4 is enabled in the project from now on: each API is enabled on its own. */
    setPostsEnabled: (does: boolean) => void (state.isEnabled = does),
  };
}

export const startGoogleBusinessProfile = starter(googleBusinessProfileNetwork);

interface PageFacts {
  readonly size: number;
  readonly max: number;
  readonly name: string;
}

function page<Item>(
  query: URLSearchParams,
  all: readonly Item[],
  { size, max, name }: PageFacts,
  present: (item: Item) => unknown,
): WireResponse {
  const many = Number(query.get('pageSize') ?? size);
  if (!(many >= 1 && many <= max)) return badRequest(`Invalid page_size: 1 to ${max}.`);
  const from = Number(query.get('pageToken') ?? 0);
  const items = all.slice(from, from + many).map(present);
  return okResponse({
    // Protocol buffers omit an empty list in JSON.
    ...(items.length > 0 && { [name]: items }),
    ...(from + many < all.length && { nextPageToken: String(from + many) }),
  });
}

function listLocations({ locations }: BusinessState, { query, params }: BusinessRequest): WireResponse {
  const own = locations.filter(({ account }) => account === `accounts/${params['account']}`);
  const mask = query.get('readMask');
  if (own.some((location) => presentLocation(location, mask) === null))
    return badRequest('Invalid read_mask.');
  return page(query, own, { size: 10, max: 100, name: 'locations' }, (one) => presentLocation(one, mask));
}

const METRICS = ':fetchMultiDailyMetricsTimeSeries';

/** Two APIs have paths below the location: its information, and its performance. */
function readLocation({ locations, now }: BusinessState, { query, params }: BusinessRequest): WireResponse {
  const [id = '', method] = (params['location'] ?? '').split(/(?=:)/);
  const location = locations.find((one) => one.id === id);
  if (!location) return notFound;
  if (method === METRICS) return queryPerformance(query, now());
  if (method !== undefined) return notFound;
  const known = presentLocation(location, query.get('readMask'));
  return known ? okResponse(known) : badRequest('Invalid read_mask.');
}

const parentOf = ({ params }: BusinessRequest) =>
  `accounts/${params['account']}/locations/${params['location']}`;
const isKnown = ({ locations }: BusinessState, parent: string) =>
  locations.some(({ account, id }) => `${account}/locations/${id}` === parent);

const STATES = { ready: 'LIVE', processing: 'PROCESSING', failed: 'REJECTED' } as const;

const present = (post: LocalPost, state: 'ready' | 'processing' | 'failed') => ({
  name: `${post.parent}/localPosts/${post.id}`,
  ...(post.summary !== '' && { summary: post.summary }),
  ...(post.callToAction && { callToAction: post.callToAction }),
  ...(post.event && { event: post.event }),
  ...(post.offer && { offer: post.offer }),
  state: STATES[state],
  ...(post.files.length > 0 && {
    media: post.files.map((_file, at) => ({
      name: `${post.parent}/media/localPosts/AF1Qip${post.id}_${at}`,
      mediaFormat: 'PHOTO',
    })),
  }),
  topicType: post.topicType,
  searchUrl: `https://local.google.com/place?id=${post.parent.split('/').at(-1)}&use=posts&lpsid=${post.id}`,
  createTime: post.createdAt.toISOString(),
});

async function createPost(state: BusinessState, request: BusinessRequest): Promise<WireResponse> {
  if (!state.isEnabled) return serviceDisabled;
  const parent = parentOf(request);
  if (!isKnown(state, parent)) return notFound;
  const content = await readLocalPost(request.body, state.fetchFile);
  if ('status' in content) return content;
  const created = state.posts.create({ ...content, parent, updatedAt: null });
  state.processing.start(created.id);
  return okResponse(present(created, state.processing.stateOf(created.id)));
}

function listPosts(state: BusinessState, request: BusinessRequest): WireResponse {
  const parent = parentOf(request);
  if (!isKnown(state, parent)) return notFound;
  const own = state.posts.list((post) => post.parent === parent);
  return page(request.query, own, { size: 20, max: 100, name: 'localPosts' }, (post) =>
    present(post, state.processing.poll(post.id)),
  );
}

function ownPost({ posts }: BusinessState, request: BusinessRequest): LocalPost | null {
  const found = posts.find(request.params['post'] ?? '');
  return found?.parent === parentOf(request) ? found : null;
}

function readPost(state: BusinessState, request: BusinessRequest): WireResponse {
  const post = ownPost(state, request);
  return post ? okResponse(present(post, state.processing.poll(post.id))) : notFound;
}

const EDITABLE = ['summary', 'callToAction', 'offer'];

/** Only the fields of the mask change; one that the body omits is cleared. */
function patchPost(state: BusinessState, request: BusinessRequest): WireResponse {
  const post = ownPost(state, request);
  if (!post) return notFound;
  const mask = (request.query.get('updateMask') ?? '').split(',');
  if (!mask.every((field) => EDITABLE.includes(field))) return badRequest('Invalid update_mask.');
  const fields = fieldsOf(request.body);
  const unknown = unknownField(fields, EDITABLE);
  if (unknown) return unknown;
  const { summary, callToAction, event, offer } = post;
  const before: Readonly<Record<string, unknown>> = { summary, callToAction, offer };
  const merged = Object.entries({
    ...before,
    event,
    ...Object.fromEntries(mask.map((field) => [field, fields[field]])),
  }).filter(([, value]) => value != null);
  const content = readContent(Object.fromEntries(merged), post.topicType);
  if ('status' in content) return content;
  const edited = state.posts.edit(post.id, { ...content, updatedAt: state.now() });
  state.processing.start(post.id);
  return edited ? okResponse(present(edited, state.processing.stateOf(post.id))) : notFound;
}

function deletePost(state: BusinessState, request: BusinessRequest): WireResponse {
  const post = ownPost(state, request);
  if (!post) return notFound;
  state.posts.remove(post.id);
  return okResponse({});
}
