import express, {
  type Request,
  Router,
  type NextFunction,
  type RequestHandler,
  type Response,
} from 'express';
import { empty, invalidField, json, notFound, seeOther, type HttpResponse } from '../wire/response.js';
import { faultFreeEndpoint, routesOf, jsonBody } from '../wire/endpoint.js';
import { bodyFields, isProvided, pathText, queryText, fieldsOf } from '../wire/parameters.js';
import { PLATFORM_NAMES, type PlatformName, type World } from '../world.js';
import type { Control, ControlNotice } from './control.js';
import { FAULT_KINDS, type FaultKind, type FaultSpec } from '../faults.js';

interface ControlContext {
  readonly world: World;
  readonly control: Control;
}
type ControlHandle = (context: ControlContext, request: Request) => HttpResponse;

export function controlRoutes(world: World, control: Control): Router {
  const run = (handle: ControlHandle) =>
    faultFreeEndpoint(world, (request) => handle({ world, control }, request));
  return Router()
    .use(requireLocalCaller, express.urlencoded({ extended: false }), (request, response, next) =>
      isForm(request) ? next() : jsonBody(request, response, next),
    )
    .use(routesOf(routes, run))
    .use(run(notFound));
}

const afterSeq = (request: Request) => Number(queryText(request, 'after_seq') ?? 0);

const routes: Readonly<Record<string, ControlHandle>> = {
  'POST /faults': ({ world }, request) => {
    const order = readFault(isForm(request) ? faultFromForm(bodyFields(request)) : bodyFields(request));
    if ('wrong' in order) return invalidValue(order.wrong);
    return redirectOrRespond(request, 'fault', json(201, world.faults.add(order)));
  },
  'GET /faults': ({ world }) => json(200, { data: world.faults.list() }),
  'POST /faults/clear': ({ world }, request) => {
    const id = bodyFields(request)['id'];
    world.faults.clear(typeof id === 'string' ? id : undefined);
    return redirectOrRespond(request, 'cleared', empty(204));
  },
  'DELETE /faults': ({ world }) => {
    world.faults.clear();
    return empty(204);
  },
  'DELETE /faults/:id': ({ world }, request) =>
    world.faults.clear(pathText(request, 'id')) ? empty(204) : notFound(),
  'GET /ledger': ({ world }, request) => {
    const [platform, effect, account, reference] = ['platform', 'effect', 'account', 'reference'].map(
      (name) => queryText(request, name),
    );
    const filter = { platform, effect, account, reference, afterSeq: afterSeq(request) };
    return json(200, { data: world.ledger.entries(filter) });
  },
  'GET /requests': ({ world }, request) =>
    json(200, { data: world.requests.entries().filter((entry) => entry.seq > afterSeq(request)) }),
  'POST /clients': ({ control }, request) => {
    const { id, secret } = bodyFields(request);
    if (typeof id !== 'string' || id === '') return invalidValue('id');
    if (typeof secret !== 'string' || secret === '') return invalidValue('secret');
    control.addClient({ id, secret });
    return empty(204);
  },
  'POST /tokens/expire': ({ control }, request) => {
    const which = readTarget(request);
    if ('wrong' in which) return invalidValue(which.wrong);
    return redirectOrRespond(request, 'expired', json(200, { expired: control.expireTokens(which) }));
  },
  'POST /grants/revoke': ({ control }, request) => {
    const { account, ...which } = readTarget(request);
    if ('wrong' in which) return invalidValue(which.wrong);
    if (account === undefined) return invalidValue('account');
    const revoked = control.revokeGrants({ account, ...which });
    return redirectOrRespond(request, 'revoked', json(200, { revoked }));
  },
  'DELETE /posts/:id': ({ control }, request) =>
    control.deletePost(pathText(request, 'id')) ? empty(204) : notFound(),
  'POST /clock': moveClock,
  'GET /settings': ({ world }) => json(200, world.settings.current()),
  'POST /settings': ({ world: { settings } }, request) => {
    const body = bodyFields(request);
    const field = settings.change(isForm(request) ? settingsFromForm(body) : body);
    return field === undefined
      ? redirectOrRespond(request, 'settings', json(200, settings.current()))
      : invalidValue(field);
  },
};

function moveClock({ world: { clock } }: ControlContext, request: Request): HttpResponse {
  const body = bodyFields(request);
  const seconds =
    isForm(request) && isProvided(body['advance_seconds'])
      ? Number(body['advance_seconds'])
      : body['advance_seconds'];
  if (body['reset'] === true || seconds === '') clock.reset();
  else if (typeof seconds === 'number' && Number.isFinite(seconds)) clock.advanceSeconds(seconds);
  else if (typeof body['now'] === 'string' && !Number.isNaN(Date.parse(body['now'])))
    clock.set(new Date(body['now']));
  else return invalidValue('now');
  return redirectOrRespond(request, 'clock', json(200, { now: clock.now().toISOString() }));
}

function isForm(request: Request): boolean {
  return typeof request.is('application/x-www-form-urlencoded') === 'string';
}

function redirectOrRespond(request: Request, notice: ControlNotice, reply: HttpResponse): HttpResponse {
  return isForm(request) ? seeOther(`/?done=${notice}`) : reply;
}

function readTarget(
  request: Request,
): { account?: string; platform?: PlatformName; wrong?: never } | { account?: never; wrong: string } {
  const { account, platform } = bodyFields(request);
  if (isProvided(account) && typeof account !== 'string') return { wrong: 'account' };
  if (isProvided(platform) && !PLATFORM_NAMES.includes(platform as PlatformName))
    return { wrong: 'platform' };
  return {
    ...(isProvided(account) ? { account: account as string } : {}),
    ...(isProvided(platform) ? { platform: platform as PlatformName } : {}),
  };
}

function settingsFromForm(form: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const typed = (value: unknown) =>
    value === 'true' ? true : value === 'false' ? false : /^\d+$/.test(String(value)) ? Number(value) : value;
  return Object.fromEntries(Object.entries(form).map(([field, value]) => [field, typed(value)]));
}

const invalidValue = (field: string): HttpResponse =>
  invalidField(field, 'field_invalid', `The value of ${field} is invalid.`);

const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isErrorStatus = (value: unknown): boolean =>
  isCount(value) && Number(value) >= 400 && Number(value) <= 599;

type FieldRules = Readonly<Record<string, (value: unknown) => boolean>>;
const FIELDS: FieldRules = {
  after: isCount,
  delay_ms: isCount,
  retry_after: isCount,
  status: isErrorStatus,
  location: isText,
  words: isText,
};
const MATCH_FIELDS: FieldRules = {
  method: isText,
  path_prefix: isText,
  account: isText,
  token: isText,
  body: isText,
};

type RequestFields = Readonly<Record<string, unknown>>;
const wrongIn = (fields: RequestFields, rules: FieldRules) =>
  Object.keys(rules).find((name) => isProvided(fields[name]) && !rules[name]?.(fields[name]));
const providedIn = (fields: RequestFields, rules: FieldRules) =>
  Object.fromEntries(Object.entries(fields).filter(([name, value]) => name in rules && isProvided(value)));

/** The fault of a control request, or the name of the invalid field. */
function readFault(body: RequestFields): FaultSpec | { readonly wrong: string } {
  const { platform, kind, times } = body;
  const match = fieldsOf(body['match']);
  if (!PLATFORM_NAMES.includes(platform as PlatformName)) return { wrong: 'platform' };
  if (!FAULT_KINDS.includes(kind as FaultKind)) return { wrong: 'kind' };
  if (times !== undefined && times !== null && !(isCount(times) && times !== 0)) return { wrong: 'times' };
  const wrong = wrongIn(body, FIELDS) ?? wrongIn(match, MATCH_FIELDS);
  if (wrong !== undefined) return { wrong };
  return {
    platform: platform as PlatformName,
    kind: kind as FaultKind,
    match: providedIn(match, MATCH_FIELDS),
    times: times as number | null | undefined,
    ...providedIn(body, FIELDS),
  };
}

/** Converts the home page's form to the shape of a JSON request. */
function faultFromForm(form: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [platform, method, path_prefix] = (typeof form['target'] === 'string' ? form['target'] : '').split(
    ' ',
  );
  const number = (name: string) => (isProvided(form[name]) ? Number(form[name]) : undefined);
  return {
    platform,
    kind: form['kind'],
    match: { method, path_prefix },
    times: form['times'] === 'always' ? null : number('times'),
    delay_ms: number('delay_ms'),
    retry_after: number('retry_after'),
  };
}

const LOOPBACK_HOST = /^(127(\.\d+){3}|localhost|\[::1\])(:\d+)?$/;
const LOOPBACK_ADDRESS = /^(127\.|::1$|::ffff:127\.)/;

/** Rejects host names that a third party's DNS points here (DNS rebinding). */
export const requireKnownHost: RequestHandler = (
  request: Request,
  response: Response,
  next: NextFunction,
) => {
  if (LOOPBACK_HOST.test(request.headers.host ?? '')) return next();
  response
    .status(421)
    .json({ error: { code: 'host_unknown', message: 'The sandbox accepts loopback host names only.' } });
};

/**
 * The control API is for this machine only, and pages of other sites must not reach it through a local
 * browser (CSRF).
 */
const requireLocalCaller: RequestHandler = (request: Request, response: Response, next: NextFunction) => {
  if (LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') && isOwnPage(request)) return next();
  response
    .status(403)
    .json({ error: { code: 'forbidden', message: 'The control API accepts local requests only.' } });
};

function isOwnPage({ headers }: Request): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}
