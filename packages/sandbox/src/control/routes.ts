import type { Request } from 'express';
import express, { Router } from 'express';
import type { HttpResponse } from '../wire/response.js';
import { empty, json, notFound, refusal, seeOther } from '../wire/response.js';
import { faultFreeEndpoint } from '../wire/endpoint.js';
import { jsonBody } from '../wire/json-body.js';
import { bodyFields, isProvided, pathText, queryText } from '../wire/parameters.js';
import type { PlatformName, World } from '../world.js';
import { PLATFORM_NAMES } from '../world.js';
import type { Control } from './control.js';
import { requireLocalCaller } from './guard.js';
import type { ControlNotice } from './notices.js';
import { faultFromForm, readFault } from './read-fault.js';

export function controlRoutes(world: World, control: Control): Router {
  const { clock, faults, ledger, requests, settings } = world;
  const run = (handle: (request: Request) => HttpResponse) => faultFreeEndpoint(world, handle);

  const addFault = (request: Request) => {
    const order = readFault(isForm(request) ? faultFromForm(bodyFields(request)) : bodyFields(request));
    if ('wrong' in order) return invalidField(order.wrong);
    return redirectOrRespond(request, 'fault', json(201, faults.add(order)));
  };
  const clearFaults = (request: Request) => {
    const id = bodyFields(request)['id'];
    faults.clear(typeof id === 'string' ? id : undefined);
    return redirectOrRespond(request, 'cleared', empty(204));
  };
  const expireTokens = (request: Request) => {
    const which = readTarget(request);
    if ('wrong' in which) return invalidField(which.wrong);
    return redirectOrRespond(request, 'expired', json(200, { expired: control.expireTokens(which) }));
  };
  const revokeGrants = (request: Request) => {
    const { account, ...which } = readTarget(request);
    if ('wrong' in which) return invalidField(which.wrong);
    if (account === undefined) return invalidField('account');
    return redirectOrRespond(
      request,
      'revoked',
      json(200, { revoked: control.revokeGrants({ account, ...which }) }),
    );
  };
  const moveClock = (request: Request) => {
    const body = bodyFields(request);
    const seconds =
      isForm(request) && isProvided(body['advance_seconds'])
        ? Number(body['advance_seconds'])
        : body['advance_seconds'];
    if (body['reset'] === true || seconds === '') clock.reset();
    else if (typeof seconds === 'number' && Number.isFinite(seconds)) clock.advanceSeconds(seconds);
    else if (typeof body['now'] === 'string' && !Number.isNaN(Date.parse(body['now'])))
      clock.set(new Date(body['now']));
    else return invalidField('now');
    return redirectOrRespond(request, 'clock', json(200, { now: clock.now().toISOString() }));
  };
  const changeSettings = (request: Request) => {
    const field = settings.change(
      isForm(request) ? settingsFromForm(bodyFields(request)) : bodyFields(request),
    );
    return field === undefined
      ? redirectOrRespond(request, 'settings', json(200, settings.current()))
      : invalidField(field);
  };
  const addClient = (request: Request) => {
    const { id, secret } = bodyFields(request);
    if (typeof id !== 'string' || id === '') return invalidField('id');
    if (typeof secret !== 'string' || secret === '') return invalidField('secret');
    control.addClient({ id, secret });
    return empty(204);
  };
  const afterSeq = (request: Request) => Number(queryText(request, 'after_seq') ?? 0);

  return Router()
    .use(requireLocalCaller, express.urlencoded({ extended: false }), (request, response, next) =>
      isForm(request) ? next() : jsonBody(request, response, next),
    )
    .post('/faults', run(addFault))
    .get(
      '/faults',
      run(() => json(200, { data: faults.list() })),
    )
    .post('/faults/clear', run(clearFaults))
    .delete(
      '/faults',
      run(() => (faults.clear(), empty(204))),
    )
    .delete(
      '/faults/:id',
      run((request) => (faults.clear(pathText(request, 'id')) ? empty(204) : notFound())),
    )
    .get(
      '/ledger',
      run((request) => {
        const [platform, effect, account, reference] = ['platform', 'effect', 'account', 'reference'].map(
          (name) => queryText(request, name),
        );
        return json(200, {
          data: ledger.entries({ platform, effect, account, reference, afterSeq: afterSeq(request) }),
        });
      }),
    )
    .get(
      '/requests',
      run((request) =>
        json(200, { data: requests.entries().filter((entry) => entry.seq > afterSeq(request)) }),
      ),
    )
    .post('/clients', run(addClient))
    .post('/tokens/expire', run(expireTokens))
    .post('/grants/revoke', run(revokeGrants))
    .post('/clock', run(moveClock))
    .get(
      '/settings',
      run(() => json(200, settings.current())),
    )
    .post('/settings', run(changeSettings))
    .use(run(notFound));
}

function isForm(request: Request): boolean {
  return (
    request.is('application/x-www-form-urlencoded') !== false &&
    request.is('application/x-www-form-urlencoded') !== null
  );
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

function invalidField(field: string): HttpResponse {
  return refusal(422, 'field_invalid', `The value of ${field} is invalid.`, { field });
}
