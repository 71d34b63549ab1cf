import { isCurrency, ok } from '@switchboard/domain';
import type { PlatformResponse, PlatformRequest, Session } from '@switchboard/domain/ports';

/** How one field of a JSON response differs from what the platform sent. */
export type MutationKind = 'absent' | 'null' | 'unknown_value';
export const mutationKinds: readonly MutationKind[] = ['absent', 'null', 'unknown_value'];

/** One JSON response, keyed by its endpoint. */
export interface JsonExchange {
  readonly endpoint: string;
  readonly status: number;
  readonly json: unknown;
}

/** A field of the responses of one endpoint; `*` matches every element of an array. */
interface Mutation {
  readonly endpoint: string;
  readonly ok: boolean;
  readonly field: readonly string[];
  readonly kind: MutationKind;
}

export const mutationName = ({ endpoint, field, kind }: Mutation): string =>
  `${endpoint} ${field.join('.')} ${kind}`;

/** The name of the field, also for an element of a list. */
export const mutatedField = ({ field }: Mutation): string => field.findLast((name) => name !== '*') ?? '';

/** The method and the path, with variable segments (those with a digit) replaced. */
const endpointOf = ({ method, path }: PlatformRequest, { status }: PlatformResponse): string => {
  const [plain = ''] = path.replace(/^https?:\/\/[^/]+/, '').split('?');
  const segments = plain
    .split('/')
    .map((segment) => (/^v\d|^\d\.\d/.test(segment) || !/\d/.test(segment) ? segment : ':id'));
  return `${method} ${segments.join('/')} ${status < 300 ? '2xx' : status}`;
};

export const recordResponses = (session: Session, seen: (exchange: JsonExchange) => void): Session =>
  withResponses(session, (endpoint, response) => {
    if (response.json !== undefined) seen({ endpoint, status: response.status, json: response.json });
    return response;
  });

/** A session whose responses lack a field or have another value in it. */
export const mutateResponses = (session: Session, mutation: Mutation): Session =>
  withResponses(session, (endpoint, response) => {
    if (endpoint !== mutation.endpoint || response.json === undefined) return response;
    const { field, kind } = mutation;
    return {
      ...response,
      json: applyMutation(response.json, field, kind),
      // Read by few adapters.
      get body() {
        return new TextEncoder().encode(
          JSON.stringify(applyMutation(parseLosslessly(response), field, kind)),
        );
      },
    };
  });

/** A session that sends each request once and replays its response afterwards: for read-only operations. */
export function cacheResponses(session: Session): Session {
  const answers = new Map<string, ReturnType<Session['request']>>();
  return {
    ...session,
    request(request) {
      const key = JSON.stringify(request);
      const known = answers.get(key) ?? session.request(request);
      answers.set(key, known);
      return known;
    },
  };
}

/**
 * Delays between two polls end immediately: an adapter can detect an abort only from `signal`, and requests
 * still go through.
 */
const ABORTED = AbortSignal.abort();

const withResponses = (
  session: Session,
  respond: (endpoint: string, answer: PlatformResponse) => PlatformResponse,
): Session => ({
  ...session,
  signal: ABORTED,
  async request(request) {
    const outcome = await session.request(request);
    return outcome.ok ? ok(respond(endpointOf(request, outcome.value), outcome.value)) : outcome;
  },
});

const parsed = new WeakMap<PlatformResponse, unknown>();

/** Integers beyond the safe range keep their text: they are IDs. */
function parseLosslessly(response: PlatformResponse): unknown {
  const known = parsed.get(response) ?? parseBytes(response.body);
  parsed.set(response, known);
  return known;
}

function parseBytes(body: Uint8Array): unknown {
  const exactly = (_: string, value: unknown, { source }: { readonly source?: string }) =>
    typeof value === 'number' && source !== undefined ? rawJSON(source) : value;
  const parse = JSON.parse as (text: string, reviver: typeof exactly) => unknown;
  return parse(new TextDecoder().decode(body), exactly);
}
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/**
 * Each field of each response once: array elements, and the responses of one endpoint, share their fields.
 */
export function listMutations(
  exchanges: readonly JsonExchange[],
  ours: ReadonlySet<string>,
): readonly Mutation[] {
  const all = new Map<string, Mutation>();
  const add = (mutation: Mutation) => all.set(mutationName(mutation), mutation);
  for (const { endpoint, status, json } of exchanges) {
    for (const { field, value } of fieldsOf(json)) {
      const site = { endpoint, ok: status < 300, field };
      if (field.at(-1) !== '*') add({ ...site, kind: 'absent' });
      if (value !== null) add({ ...site, kind: 'null' });
      if (isEnumValue(value) && !ours.has(value)) add({ ...site, kind: 'unknown_value' });
    }
  }
  return [...all.values()];
}

interface JsonField {
  readonly field: readonly string[];
  readonly value: unknown;
}

function fieldsOf(json: unknown, above: readonly string[] = []): readonly JsonField[] {
  return membersOf(json).flatMap(([name, value]) => {
    const field = [...above, name];
    return [{ field, value }, ...fieldsOf(value, field)];
  });
}

function membersOf(json: unknown): readonly (readonly [string, unknown])[] {
  if (Array.isArray(json)) return json.map((element: unknown) => ['*', element] as const);
  return json !== null && typeof json === 'object' ? Object.entries(json) : [];
}

/** A single word in the style of enumeration members: `IN_PROGRESS`, `inProgress`, `in-progress`. */
const isEnumValue = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length <= 40 &&
  /^[a-z]+([-_.]?[a-z]+)*$/i.test(value) &&
  !isCurrency(value.toUpperCase());

const unknownValueLike = (value: unknown): string =>
  String(value) === String(value).toUpperCase() ? 'SOMETHING_NEW' : 'something_new';

function applyMutation(json: unknown, [name, ...below]: readonly string[], kind: MutationKind): unknown {
  if (name === undefined) return kind === 'null' ? null : isEnumValue(json) ? unknownValueLike(json) : json;
  if (Array.isArray(json)) {
    return name === '*'
      ? json.map((element: unknown) => applyMutation(element, below, kind))
      : (json as unknown);
  }
  if (json === null || typeof json !== 'object' || !Object.hasOwn(json, name)) return json;
  const { [name]: value, ...others } = json as Readonly<Record<string, unknown>>;
  if (below.length === 0 && kind === 'absent') return others;
  return { ...json, [name]: applyMutation(value, below, kind) };
}
