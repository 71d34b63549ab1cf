import type { SocialAccount } from '../wire/simulator.js';
import { requireScopes, type RoutedRequest, type Routes } from '../wire/routes.js';
import {
  okResponse,
  fieldsOf,
  refusal,
  textOf,
  textsOf,
  type WireResponse,
  type WireRequest,
} from '../wire/exchange.js';
import type { InstanceMedia } from './media.js';
import type { MediaStore } from './media-store.js';
import {
  presentAccount,
  presentInstance,
  presentOwnAccount,
  presentStatus,
  type InstanceLimits,
} from './present.js';
import { lengthOf, type StatusStore } from './status-store.js';

/** The owner of a request's token, and its scopes. */
export interface MastodonBearer {
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly application: string;
}

export interface ApiWorld {
  readonly origin: () => string;
  readonly accounts: ReadonlyMap<string, SocialAccount>;
  readonly statuses: StatusStore;
  readonly media: MediaStore;
  readonly limits: () => InstanceLimits;
  readonly uploads: InstanceMedia;
}

const STATUSES_MAX = 20;
const notFound = refusal(404, 'Record not found');
const outsideScopes = refusal(403, 'This action is outside the authorized scopes');

type MastodonRequest = RoutedRequest<MastodonBearer>;

const accountOf = ({ accounts }: ApiWorld, id: string) => accounts.get(id) as SocialAccount;
function shown(world: ApiWorld, id: string) {
  const status = world.statuses.find(id);
  return (
    status &&
    presentStatus(world.origin(), accountOf(world, status.accountId), status, world.statuses.countsOf(id))
  );
}

const needs = requireScopes(() => outsideScopes);

/** The REST endpoints that read and write statuses, for a logged-in account. */
export const instanceRoutes: Routes<ApiWorld, MastodonBearer> = {
  'POST /api/v2/media': needs(['write:media'], ({ uploads }, request) =>
    uploads.upload(request.owner.accountId, request),
  ),
  'GET /api/v1/media/:id': needs(['write:media'], ({ uploads }, { owner, params }) =>
    uploads.look(owner.accountId, params['id'] ?? ''),
  ),
  'POST /api/v1/statuses': needs(['write:statuses'], createStatus),
  'GET /api/v1/statuses': needs(['read:statuses'], readStatuses),
  'GET /api/v1/statuses/:id': needs(['read:statuses'], (world, { params }) => {
    const status = shown(world, params['id'] ?? '');
    return status ? okResponse(status) : notFound;
  }),
  'GET /api/v1/statuses/:id/source': needs(['read:statuses'], readSource),
  'PUT /api/v1/statuses/:id': needs(['write:statuses'], editStatus),
  'DELETE /api/v1/statuses/:id': needs(['write:statuses'], deleteStatus),
  'GET /api/v1/accounts/verify_credentials': (world, { owner }) =>
    owner.scopes.includes('profile') || owner.scopes.includes('read:accounts')
      ? okResponse(presentOwnAccount(world.origin(), accountOf(world, owner.accountId)))
      : outsideScopes,
  'GET /api/v1/accounts/:id': needs(['read:accounts'], ({ accounts, origin }, { params }) => {
    const account = accounts.get(params['id'] ?? '');
    return account ? okResponse(presentAccount(origin(), account)) : notFound;
  }),
  'GET /api/v1/accounts/:id/statuses': needs(['read:statuses'], listStatuses),
};

/** The endpoints that require no login. */
export const openRoutes: Routes<ApiWorld, null> = {
  'GET /api/v2/instance': ({ origin, limits }) => okResponse(presentInstance(origin(), limits())),
  'GET /.well-known/webfinger': findAccount,
};

function findAccount({ accounts, origin }: ApiWorld, { query }: WireRequest): WireResponse {
  const [, name] = /^acct:([^@]+)@/.exec(query.get('resource') ?? '') ?? [];
  const found = [...accounts.values()].find(({ username }) => username === name);
  if (!found) return { status: 404 };
  const href = `${origin()}/users/${found.username}`;
  const self = { rel: 'self', type: 'application/activity+json', href };
  return okResponse({ subject: query.get('resource'), links: [self] });
}

function createStatus(world: ApiWorld, { body, headers, owner }: MastodonRequest): WireResponse {
  const { statuses, media } = world;
  const fields = fieldsOf(body);
  const inReplyToId = textOf(fields['in_reply_to_id']) || null;
  if (inReplyToId !== null && !statuses.find(inReplyToId)) {
    return refusal(404, 'The post you are trying to reply to does not appear to exist.');
  }
  const key = textOf(headers['idempotency-key']);
  const before = key === '' ? null : statuses.underKey(owner.accountId, key);
  if (before) return okResponse(shown(world, before.id));
  const attached = world.uploads.chosen(owner.accountId, textsOf(fields['media_ids']));
  if ('status' in attached) return attached;
  const words = readWords(world, fields, attached);
  if ('status' in words) return words;
  const visibility = textOf(fields['visibility']) || 'public';
  if (!['public', 'unlisted', 'private', 'direct'].includes(visibility)) {
    return refusal(422, 'Validation failed: Visibility is not included in the list');
  }
  const created = statuses.post(
    {
      accountId: owner.accountId,
      application: owner.application,
      inReplyToId,
      visibility,
      media: attached,
      ...words,
      language: textOf(fields['language']) || 'en',
    },
    key,
  );
  media.attach(attached.map(({ id }) => id));
  return okResponse(shown(world, created.id));
}

function readWords(
  { limits }: ApiWorld,
  fields: Readonly<Record<string, unknown>>,
  media: readonly unknown[],
) {
  const [said, warning] = [textOf(fields['status']).trim(), textOf(fields['spoiler_text']).trim()];
  // Without a text, the content warning becomes the text.
  const [text, spoilerText] = said === '' ? [warning, ''] : [said, warning];
  if (text === '' && media.length === 0) return refusal(422, "Validation failed: Text can't be blank");
  const { maxCharacters } = limits();
  return lengthOf(spoilerText, text) > maxCharacters
    ? refusal(422, `Validation failed: Text character limit of ${maxCharacters} exceeded`)
    : { text, spoilerText, sensitive: fields['sensitive'] === true || warning !== '' };
}

/** What is not sent is reset, as in `UpdateStatusService`; the visibility and the place in a thread stay. */
function editStatus(world: ApiWorld, { params, body, owner }: MastodonRequest): WireResponse {
  const status = world.statuses.find(params['id'] ?? '');
  if (status?.accountId !== owner.accountId) return notFound;
  const fields = fieldsOf(body);
  const kept = textsOf(fields['media_ids']);
  const media = status.media.filter(({ id }) => kept.includes(id));
  if (media.length < kept.length) return refusal(422, 'Media not found or already attached to another post');
  const words = readWords(world, fields, media);
  if ('status' in words) return words;
  const language = textOf(fields['language']) || status.language;
  world.statuses.edit(status.id, { ...words, media, language });
  return okResponse(shown(world, status.id));
}

function listStatuses(world: ApiWorld, { params, query }: MastodonRequest): WireResponse {
  const { statuses } = world;
  const before = query.get('max_id');
  const found = statuses.list(
    ({ accountId, id }) => accountId === params['id'] && (before === null || BigInt(id) < BigInt(before)),
  );
  return okResponse(
    found.slice(0, Number(query.get('limit') ?? STATUSES_MAX)).map(({ id }) => shown(world, id)),
  );
}

function readStatuses(world: ApiWorld, { query }: MastodonRequest): WireResponse {
  const ids = query.getAll('id[]');
  if (ids.length > STATUSES_MAX) return refusal(422, 'Validation failed');
  return okResponse(ids.flatMap((id) => shown(world, id) ?? []));
}

function readSource({ statuses }: ApiWorld, { params }: MastodonRequest): WireResponse {
  const status = statuses.find(params['id'] ?? '');
  return status
    ? okResponse({ id: status.id, text: status.text, spoiler_text: status.spoilerText })
    : notFound;
}

function deleteStatus(world: ApiWorld, { params, owner }: MastodonRequest): WireResponse {
  const status = world.statuses.find(params['id'] ?? '');
  if (status?.accountId !== owner.accountId) return notFound;
  const last = shown(world, status.id);
  world.statuses.remove(status.id);
  return okResponse({ ...last, text: status.text });
}
