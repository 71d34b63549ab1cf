import type { ErrorRequestHandler, Express, RequestHandler } from 'express';
import express from 'express';
import type { Control } from './control/control.js';
import { controlRoutes, requireKnownHost } from './control/routes.js';
import { hashOf } from './faults.js';
import { readBearer, type BearerLookup } from './oauth/authorized.js';
import type { GrantStore } from './oauth/grants.js';
import { oauthRoutes, serverMetadata } from './oauth/routes.js';
import { sharedPages } from './pages/routes.js';
import { SOCIAL_ACCOUNTS } from './social/accounts.js';
import { socialApi } from './social/api.js';
import { socialPages } from './social/pages.js';
import { socialStateOf } from './social/state.js';
import { storeApi } from './store/api.js';
import { ordersOf } from './store/orders.js';
import { storePages } from './store/pages.js';
import { SHOPS } from './store/shops.js';
import { json, notFound } from './wire/response.js';
import { endpoint, faultFreeEndpoint, jsonBody } from './wire/endpoint.js';
import { bodyFields, fieldsOf } from './wire/parameters.js';
import { type PlatformName, type World, PLATFORM_NAMES } from './world.js';

/** All route handlers with their path prefixes. */
export function application(
  world: World,
  grants: Readonly<Record<PlatformName, GrantStore>>,
  control: Control,
  socialBearers: BearerLookup,
): Express {
  const accounts = { social: SOCIAL_ACCOUNTS, store: SHOPS };
  const social = socialStateOf(world);
  const orders = ordersOf(world);
  const app = express();
  app.disable('x-powered-by').set('etag', false);
  app.use(requireKnownHost);
  app.use('/_control', controlRoutes(world, control));
  app.use(logged(world, grants));
  app.use(
    '/_elsewhere',
    faultFreeEndpoint(world, () => json(200, { elsewhere: true })),
  );
  // An endpoint for webhooks, so that they can be tried without a server of one's own: it accepts everything.
  app.post(
    '/webhooks',
    jsonBody,
    faultFreeEndpoint(world, (request) => json(200, { challenge: bodyFields(request)['challenge'] ?? null })),
  );
  app.use(sharedPages(world, accounts));
  for (const platform of PLATFORM_NAMES) {
    app.get(
      `/.well-known/oauth-authorization-server/${platform}`,
      endpoint(world, platform, () => serverMetadata(world, platform)),
    );
    app.use(`/${platform}`, oauthRoutes(world, platform, accounts[platform], grants[platform]));
  }
  app.use('/social/api', socialApi(world, socialBearers, SOCIAL_ACCOUNTS, social));
  app.use('/store/api', storeApi(world, grants.store, orders));
  app.use('/social', socialPages(world, SOCIAL_ACCOUNTS, social));
  app.use('/store', storePages(world, orders));
  app.use(faultFreeEndpoint(world, notFound));
  app.use(answerErrors);
  return app;
}

function logged(world: World, grants: Readonly<Record<PlatformName, GrantStore>>): RequestHandler {
  return (request, _response, next) => {
    const platform = PLATFORM_NAMES.find(
      (name) => request.path === `/${name}` || request.path.startsWith(`/${name}/`),
    );
    const bearer = readBearer(request.headers.authorization);
    const tokenHash = bearer === undefined ? null : hashOf(bearer);
    world.requests.begin(request, {
      at: world.clock.now().toISOString(),
      platform: platform ?? null,
      method: request.method,
      path: request.originalUrl,
      token_hash: tokenHash,
      account: platform && tokenHash !== null ? grants[platform].accountOf(tokenHash) : null,
      referer: request.headers.referer ?? null,
    });
    next();
  };
}

const PARSER_REFUSALS: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  'entity.parse.failed': [400, 'malformed_json', 'The body is not JSON.'],
  'entity.too.large': [413, 'body_too_large', 'The body is too large.'],
  'encoding.unsupported': [415, 'unsupported_media_type', 'The body has an encoding that is not supported.'],
  'charset.unsupported': [415, 'unsupported_media_type', 'Send UTF-8.'],
};

const answerErrors: ErrorRequestHandler = (error: unknown, request, response, _next) => {
  if (response.headersSent || request.socket.destroyed) return void request.socket.destroy();
  const type = fieldsOf(error)['type'];
  const known = typeof type === 'string' ? PARSER_REFUSALS[type] : undefined;
  // The sandbox has no logger, so its own bugs are printed for the operator.
  if (!known) process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : String(error)}\n`);
  const [status, code, message] = known ?? [500, 'internal', 'Internal error.'];
  const isOauth = /^\/(social|store)\/oauth\//.test(request.originalUrl);
  const entry = fieldsOf(
    isOauth ? { error: 'invalid_request', error_description: message } : { error: { code, message } },
  );
  response.status(status).json(entry);
};
