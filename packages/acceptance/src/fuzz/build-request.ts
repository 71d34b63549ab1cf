import { asObject, type JsonObject } from '../support/json.js';
import { animatedGif, pdfDocument, sampleVideo } from '../support/sample-media.js';
import type { ApiDocument } from './api-document.js';
import { fillPlaceholders, type KnownValues } from './known-values.js';
import { encode, type Mutation, type RequestPlan } from './request-arbitrary.js';
import { PICKS } from './value-arbitrary.js';

export interface HttpRequest {
  readonly method: string;
  /** As sent, with the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export interface BuiltRequest {
  readonly http: HttpRequest;
  /** The query that a cursor of the response belongs to. */
  readonly query: JsonObject;
  /** The JSON body as the service parses it; undefined when it is not the JSON that the plan contains. */
  readonly json: unknown;
  /** The only statuses that the method allows; null for every documented one. */
  readonly expectedStatuses: readonly number[] | null;
  readonly idempotencyKey: string | null;
}

export interface RequestContext {
  readonly document: ApiDocument;
  readonly known: KnownValues<HttpRequest>;
  /** The key of most requests. */
  readonly key: string;
  /** Keys that are used rarely: with fewer scopes, and invalid ones. */
  readonly otherKeys: readonly string[];
  /** A new idempotency key. */
  readonly newIdempotencyKey: string;
}

/** The parts of a request, while mutations are applied. */
interface RequestDraft {
  method: string;
  pathParameters: Map<string, string>;
  query: JsonObject;
  extraQueries: string[];
  headers: Map<string, string>;
  body: unknown;
  bodyText: string | null;
  isJson: boolean;
  isExact: boolean;
  expectedStatuses: readonly number[] | null;
}

const FILES = [
  ['image.gif', animatedGif],
  ['report.pdf', pdfDocument],
  ['video.mp4', sampleVideo],
  ['short.gif', animatedGif.subarray(0, 40)],
  ['empty.png', Buffer.alloc(0)],
  ['plain.txt', Buffer.from('not an image')],
] as const;
const BOUNDARY = 'fuzz-boundary-7d93b1';

/** Fills in what exists in the installation and applies the mutations. */
export function buildRequest(plan: RequestPlan, context: RequestContext): BuiltRequest {
  const { operation } = plan;
  const { known } = context;
  const fill = (value: unknown) => fillPlaceholders(value, known.fill);
  const draft: RequestDraft = {
    method: operation.method,
    pathParameters: new Map(
      Object.entries(asObject(fill(plan.path))).map(([name, value]) => [name, encode(String(value))]),
    ),
    query: chooseQuery(plan, known, asObject(fill(plan.query))),
    extraQueries: [],
    headers: new Map([['authorization', `Bearer ${context.key}`]]),
    body: plan.body === null ? undefined : fill(plan.body.value),
    bodyText: null,
    isJson: plan.body?.type === 'application/json',
    isExact: true,
    expectedStatuses: null,
  };
  const key = chooseIdempotencyKey(plan, context);
  if (key?.repeated) return { ...repeat(key.repeated), idempotencyKey: key.value };
  if (key) draft.headers.set('idempotency-key', key.value);
  if (plan.wait !== null) draft.headers.set('prefer', plan.wait);
  if (draft.isJson) draft.headers.set('content-type', 'application/json');
  else if (plan.body) draft.headers.set('content-type', `multipart/form-data; boundary=${BOUNDARY}`);
  setCondition(plan, known, draft);
  for (const mutation of plan.mutations) applyMutation(draft, mutation, plan, context);
  const body = encodeBody(draft, plan);
  if (body) draft.headers.set('content-length', String(body.length));
  return {
    http: {
      method: draft.method,
      path: pathOf(operation.path, draft),
      headers: Object.fromEntries(draft.headers),
      body,
    },
    query: draft.query,
    json: draft.isJson && draft.isExact ? draft.body : undefined,
    expectedStatuses: draft.expectedStatuses,
    idempotencyKey: key?.value ?? null,
  };
}

const repeat = (http: HttpRequest) => ({ http, query: {}, json: undefined, expectedStatuses: null });

/** Three in ten requests of a list continue a page, of which some with other filters. */
function chooseQuery(plan: RequestPlan, known: KnownValues<HttpRequest>, query: JsonObject): JsonObject {
  const { cursor: invented, ...rest } = query;
  const cursor = known.cursors.get(plan.operation.id);
  if (plan.cursor >= 0.3 * PICKS) return rest;
  if (!cursor) return invented === undefined ? rest : query;
  return { ...(plan.cursor < 0.2 * PICKS ? cursor.query : rest), cursor: cursor.cursor };
}

/** A new key, a used key with a new request, or the repetition of a request with its key. */
function chooseIdempotencyKey({ operation, idempotency }: RequestPlan, context: RequestContext) {
  if (!operation.parameters.some(({ name }) => name === 'Idempotency-Key')) return null;
  const used = context.known.keyed.get(operation.id);
  if (idempotency < 0.1 * PICKS && used) return { value: used.key, repeated: used.request };
  if (idempotency < 0.15 * PICKS && used) return { value: used.key, repeated: null };
  return idempotency < 0.5 * PICKS ? { value: context.newIdempotencyKey, repeated: null } : null;
}

function setCondition(
  { operation, condition }: RequestPlan,
  known: KnownValues<HttpRequest>,
  draft: RequestDraft,
): void {
  const header = operation.parameters.find(({ name }) => /^if-(none-)?match$/i.test(name))?.name;
  if (header === undefined || condition >= 0.5 * PICKS) return;
  const tags = [...known.etags.values()];
  const own = known.etags.get(pathOf(operation.path, draft).split('?', 1).join());
  const etag = condition < 0.35 * PICKS ? own : tags[condition % Math.max(tags.length, 1)];
  draft.headers.set(header.toLowerCase(), etag ?? '"0"');
}

function applyMutation(
  draft: RequestDraft,
  mutation: Mutation,
  { operation }: RequestPlan,
  { document, known, otherKeys }: RequestContext,
): void {
  switch (mutation.kind) {
    case 'replace_value':
    case 'lengthen_value':
    case 'add_field':
    case 'remove_field':
      if (draft.body === undefined) draft.query = changeQuery(draft.query, mutation);
      else draft.body = changeValue(draft.body, mutation);
      return;
    case 'replace_body':
      draft.bodyText = mutation.text;
      draft.isExact = false;
      if (!draft.headers.has('content-type')) draft.headers.set('content-type', 'application/json');
      return;
    case 'truncate_body': {
      const text = JSON.stringify(draft.body ?? {});
      draft.bodyText = text.slice(0, Math.floor(text.length * mutation.share));
      draft.isExact = false;
      return;
    }
    case 'set_header':
      draft.headers.set(mutation.name, mutation.value);
      if (mutation.name === 'content-type' || mutation.name === 'content-encoding') draft.isExact = false;
      return;
    case 'add_query':
      draft.extraQueries.push(mutation.text);
      draft.isExact = false;
      return;
    case 'replace_path_parameter': {
      const names = [...draft.pathParameters.keys()];
      const name = names[mutation.at % Math.max(names.length, 1)];
      if (name === undefined) return;
      draft.pathParameters.set(name, mutation.text);
      // A text without a segment is another route.
      if (/^\.{1,2}$|^(%2e){1,2}$/i.test(mutation.text)) draft.expectedStatuses = [400, 404, 405];
      return;
    }
    case 'replace_method': {
      const others = ['PUT', 'PATCH', 'POST', 'DELETE', 'GET'].filter(
        (method) => !document.methodsOf(operation.path).includes(method),
      );
      draft.method = others[mutation.at % others.length] ?? 'PUT';
      draft.expectedStatuses = [400, 404, 405];
      return;
    }
    case 'replace_key': {
      const keys = [...otherKeys, ...known.list('secret')];
      const key = keys[mutation.at % keys.length];
      if (key === undefined || key === '') draft.headers.delete('authorization');
      else draft.headers.set('authorization', `Bearer ${key}`);
    }
  }
}

/** A server may reject a longer request before it knows the operation. */
const QUERY_MAX_CHARS = 8000;

function changeQuery(query: JsonObject, mutation: ValueMutation): JsonObject {
  const changed = changeValue(query, mutation);
  const fits = JSON.stringify(changed).length <= QUERY_MAX_CHARS;
  return fits && typeof changed === 'object' && changed !== null ? asObject(changed) : query;
}

type ValueMutation = Extract<
  Mutation,
  { kind: 'replace_value' | 'lengthen_value' | 'add_field' | 'remove_field' }
>;

interface ValuePlace {
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string | number;
}

/** Changes one place of a copy of a JSON value. */
function changeValue(value: unknown, mutation: ValueMutation): unknown {
  const root = { value: structuredClone(value) };
  const places: ValuePlace[] = [];
  const walk = (holder: Record<string, unknown> | unknown[]): void => {
    for (const [name, inner] of Object.entries(holder)) {
      places.push({ holder, key: Array.isArray(holder) ? Number(name) : name });
      if (typeof inner === 'object' && inner !== null) walk(inner as Record<string, unknown>);
    }
  };
  walk(root);
  const below = places.length > 1 ? places.slice(1) : places;
  const objects = places.flatMap(({ holder, key }) => {
    const inner = (holder as Record<string, unknown>)[key];
    return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? [inner] : [];
  });
  const place = below[mutation.at % below.length];
  if (!place) return value;
  const holder = place.holder as Record<string | number, unknown>;
  switch (mutation.kind) {
    case 'replace_value':
      holder[place.key] = mutation.value;
      break;
    case 'lengthen_value':
      holder[place.key] = Array.isArray(holder[place.key])
        ? Array.from({ length: Math.min(mutation.length, 2000) }, () => (holder[place.key] as unknown[])[0])
        : 'x'.repeat(mutation.length);
      break;
    case 'add_field': {
      const object = objects[mutation.at % Math.max(objects.length, 1)];
      if (object)
        Object.defineProperty(object, mutation.name, {
          value: mutation.value,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      break;
    }
    case 'remove_field':
      if (Array.isArray(place.holder)) place.holder.splice(Number(place.key), 1);
      else if (place.holder !== root) delete holder[place.key];
  }
  return root.value;
}

function pathOf(template: string, { pathParameters, query, extraQueries }: RequestDraft): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => pathParameters.get(name) ?? '0');
  const pairs = Object.entries(query).flatMap(([name, value]) => encodeParameter(name, value));
  const all = [...pairs, ...extraQueries].join('&');
  return all === '' ? path : `${path}?${all}`;
}

/** As the document describes: lists with commas, objects with brackets. */
function encodeParameter(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return [`${encode(name)}=${value.map((one) => encode(textOf(one))).join(',')}`];
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(
      ([key, one]) => `${encode(name)}[${encode(key)}]=${encode(textOf(one))}`,
    );
  return [`${encode(name)}=${encode(textOf(value))}`];
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '');

function encodeBody({ body, bodyText, isJson }: RequestDraft, { operation }: RequestPlan): Buffer | null {
  if (bodyText !== null) return Buffer.from(bodyText);
  if (body === undefined) return null;
  if (isJson) return operation.method === 'GET' ? null : Buffer.from(JSON.stringify(body) ?? '');
  const fields = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  return Buffer.concat([
    ...fields.flatMap(([name, value]: [string, unknown]) => {
      const isFile = typeof value === 'object' && value !== null && '$file' in value;
      const [fileName, bytes] = isFile
        ? (FILES[Number(value.$file) % FILES.length] ?? FILES[0])
        : [null, Buffer.from(textOf(value))];
      const disposition = `form-data; name="${name.replace(/["\r\n]/g, '')}"`;
      return [
        Buffer.from(
          `--${BOUNDARY}\r\nContent-Disposition: ${disposition}${fileName === null ? '' : `; filename="${fileName}"`}\r\n\r\n`,
        ),
        bytes,
        Buffer.from('\r\n'),
      ];
    }),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ]);
}
