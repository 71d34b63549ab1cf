import {
  okResponse,
  fieldsOf,
  refusal,
  textOf,
  textsOf,
  type WireResponse,
  type WireRequest,
} from '../wire/exchange.js';
import { instanceMedia } from './media.js';
import type { MediaStore } from './media-store.js';
import {
  presentAccount,
  presentInstance,
  presentOwnAccount,
  presentStatus,
  type MastodonAccount,
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
  readonly accounts: ReadonlyMap<string, MastodonAccount>;
  readonly statuses: StatusStore;
  readonly media: MediaStore;
  readonly limits: () => InstanceLimits;
}

const STATUSES_MAX = 20;
const notFound = refusal(404, 'Record not found');
const outsideScopes = refusal(403, 'This action is outside the authorized scopes');

/** The REST endpoints that read and write statuses, for a logged-in account. */
export function instanceApi({ origin, accounts, statuses, media, limits }: ApiWorld) {
  const uploads = instanceMedia({ origin, media, limits });
  const accountOf = (id: string) => accounts.get(id) as MastodonAccount;
  const shown = (id: string) => {
    const status = statuses.find(id);
    return status && presentStatus(origin(), accountOf(status.accountId), status);
  };

  function post({ body, headers }: WireRequest, bearer: MastodonBearer): WireResponse {
    const fields = fieldsOf(body);
    const inReplyToId = textOf(fields['in_reply_to_id']) || null;
    if (inReplyToId !== null && !statuses.find(inReplyToId)) {
      return refusal(404, 'The post you are trying to reply to does not appear to exist.');
    }
    const key = textOf(headers['idempotency-key']);
    const before = key === '' ? null : statuses.underKey(bearer.accountId, key);
    if (before) return okResponse(shown(before.id));
    const attached = uploads.chosen(bearer.accountId, textsOf(fields['media_ids']));
    if ('status' in attached) return attached;
    const [said, warning] = [textOf(fields['status']).trim(), textOf(fields['spoiler_text']).trim()];
    // Without a text, the content warning becomes the text.
    const [text, spoilerText] = said === '' ? [warning, ''] : [said, warning];
    const visibility = textOf(fields['visibility']) || 'public';
    if (text === '' && attached.length === 0) return refusal(422, "Validation failed: Text can't be blank");
    const { maxCharacters } = limits();
    if (lengthOf(spoilerText, text) > maxCharacters) {
      return refusal(422, `Validation failed: Text character limit of ${maxCharacters} exceeded`);
    }
    if (!['public', 'unlisted', 'private', 'direct'].includes(visibility)) {
      return refusal(422, 'Validation failed: Visibility is not included in the list');
    }
    const created = statuses.post(
      {
        accountId: bearer.accountId,
        application: bearer.application,
        text,
        inReplyToId,
        spoilerText,
        visibility,
        media: attached,
        sensitive: fields['sensitive'] === true || warning !== '',
        language: textOf(fields['language']) || 'en',
      },
      key,
    );
    media.attach(attached.map(({ id }) => id));
    return okResponse(shown(created.id));
  }

  function list(accountId: string, query: URLSearchParams): WireResponse {
    const before = query.get('max_id');
    const found = statuses.of(accountId).filter(({ id }) => before === null || BigInt(id) < BigInt(before));
    return okResponse(found.slice(0, Number(query.get('limit') ?? STATUSES_MAX)).map(({ id }) => shown(id)));
  }

  function many(ids: readonly string[]): WireResponse {
    if (ids.length > STATUSES_MAX) return refusal(422, 'Validation failed');
    return okResponse(ids.flatMap((id) => shown(id) ?? []));
  }

  /** Null: unknown endpoint. */
  function serve(request: WireRequest, bearer: MastodonBearer): WireResponse | null {
    const { method, path, query } = request;
    const may = (scope: string, then: () => WireResponse) =>
      bearer.scopes.includes(scope) ? then() : outsideScopes;
    if (`${method} ${path}` === 'POST /api/v2/media') {
      return may('write:media', () => uploads.upload(bearer.accountId, request));
    }
    const [, what, id = '', more = ''] = /^\/api\/v1\/(\w+)(?:\/(\w+))?(?:\/(\w+))?$/.exec(path) ?? [];
    switch (`${method} ${what} ${id === '' ? '' : 'id'} ${more}`.trim()) {
      case 'POST statuses':
        return may('write:statuses', () => post(request, bearer));
      case 'GET statuses':
        return may('read:statuses', () => many(query.getAll('id[]')));
      case 'GET statuses id source':
        return may('read:statuses', () => {
          const status = statuses.find(id);
          return status ? okResponse({ id, text: status.text, spoiler_text: status.spoilerText }) : notFound;
        });
      case 'DELETE statuses id':
        return may('write:statuses', () => {
          const status = statuses.find(id);
          if (status?.accountId !== bearer.accountId) return notFound;
          const last = shown(id);
          statuses.remove(id);
          return okResponse({ ...last, text: status.text });
        });
      case 'GET media id':
        return may('write:media', () => uploads.look(bearer.accountId, id));
      case 'GET accounts id': {
        if (id === 'verify_credentials') {
          if (!bearer.scopes.includes('profile') && !bearer.scopes.includes('read:accounts'))
            return outsideScopes;
          return okResponse(presentOwnAccount(origin(), accountOf(bearer.accountId)));
        }
        const account = accounts.get(id);
        return may('read:accounts', () =>
          account ? okResponse(presentAccount(origin(), account)) : notFound,
        );
      }
      case 'GET accounts id statuses':
        return may('read:statuses', () => list(id, query));
      default:
        return null;
    }
  }

  return {
    serve,
    /** The endpoints that require no login. */
    open: ({ method, path }: WireRequest): WireResponse | null =>
      method === 'GET' && path === '/api/v2/instance'
        ? okResponse(presentInstance(origin(), limits()))
        : null,
  };
}
