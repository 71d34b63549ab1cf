import type { Service } from '@switchboard/bootstrap';
import type { AuthorizationServer, SignIn } from '@switchboard/bootstrap/authorization-server';
import { failure } from '@switchboard/domain';
import { authorizeClient, findConsent, findInvitation, type ConsentView } from '@switchboard/domain/clients';
import type { Scope } from '@switchboard/domain/access';
import { describeProtectedResource, protectedResourceUrl } from '@switchboard/operations';
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { csrfOf, isCsrf } from '../connect/browser-cookie.js';
import { hostedPages } from '../connect/hosted-pages.js';
import { readForm } from '../connect/read-form.js';
import { consentPage, fieldOf } from '../pages/consent-page.js';
import type { Forms } from '../pages/forms.js';
import { invitationPage, type CodeProblem } from '../pages/invitation-page.js';
import {
  brokenPage,
  refusedFormPage,
  signInEndedPage,
  signInRefusedPage,
  unreadableFormPage,
} from '../pages/notice-pages.js';
import { sendProblem } from '../problem.js';

/** After so many wrong codes a sign-in ends, and the client has to begin again. */
const FAILURES_MAX = 5;
const METADATA_AGE_SECONDS = 600;
const METADATA = '/.well-known/oauth-authorization-server';
const CONSENT = '/oauth/consent/:id';

interface ConsentForm {
  readonly signIn: SignIn;
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * The sign-in of MCP clients: the endpoints of the authorization server, which is loaded with the first request
 * to one of them, and its two pages, an invitation code and the decision.
 */
export function oauthServerRoutes(service: Service): Router {
  const { config, ports, oauth } = service;
  const pages = hostedPages(service);
  const router = Router();
  const pathOf = (id: string) => `/oauth/consent/${encodeURIComponent(id)}`;

  const sendErrorPage = (response: Response, status: number) => {
    const translator = pages.getTranslator(response);
    pages.send(
      response,
      status < 500
        ? signInRefusedPage(translator, status)
        : brokenPage(translator, status, String(response.locals['requestId'])),
    );
  };

  let opened: Promise<AuthorizationServer> | null = null;
  const open = () =>
    (opened ??= import('@switchboard/bootstrap/authorization-server')
      .then(({ openAuthorizationServer }) =>
        openAuthorizationServer(service, {
          consentPath: pathOf,
          sendErrorPage: (_request, response, status) => sendErrorPage(response as Response, status),
        }),
      )
      .catch((error: unknown) => {
        opened = null;
        throw error;
      }));

  const serve: RequestHandler = async (request, response) => (await open()).handle(request, response);
  /** Refuses an address that creates too many rows. */
  const throttled =
    (record: 'recordSignIn' | 'recordRegistration'): RequestHandler =>
    async (request, response, next) => {
      const retryAfterSeconds = await ports.addressThrottle[record](request.ip);
      if (retryAfterSeconds === null) return next();
      const reason = `Too many requests of this kind came from this address. Retry in ${retryAfterSeconds} seconds.`;
      const requestId = String(response.locals['requestId']);
      sendProblem(response, failure('rate_limit.exceeded', reason, { retryAfterSeconds }), requestId);
    };

  router.use(['/oauth/authorize', '/oauth/consent'], pages.harden);
  router.get(METADATA, (request, response, next) => {
    response.set('Cache-Control', `public, max-age=${METADATA_AGE_SECONDS}`);
    return serve(request, response, next);
  });
  // Where a proxy serves REST and MCP under one host, only the path of MCP leads to it.
  if (new URL(config.mcpPublicUrl).origin === new URL(config.publicUrl).origin) {
    router.get(new URL(protectedResourceUrl(ports.settings)).pathname, (_request, response) => {
      response.set('Access-Control-Allow-Origin', '*').json(describeProtectedResource(ports.settings));
    });
  }
  router.get('/oauth/authorize', throttled('recordSignIn'), serve);
  router.get('/oauth/authorize/:id', serve);
  router.post('/oauth/token', serve);
  router.post('/oauth/revoke', serve);
  if (config.oauth.registration) router.post('/oauth/register', throttled('recordRegistration'), serve);

  const translatorOf = (response: Response, signIn: SignIn | null) =>
    pages.getTranslator(response, { locale: signIn?.locales?.split(' ')[0] ?? null });
  const formsOf = ({ id, returnOrigin }: SignIn, browser: string): Forms => ({
    path: pathOf(id),
    csrf: csrfOf(browser, id),
    targets: [returnOrigin],
  });
  const findSignIn = async (request: Request, response: Response): Promise<SignIn | null> => {
    const signIn = await (await open()).findSignIn(request, response);
    return signIn?.id === request.params['id'] ? signIn : null;
  };
  const offeredTo = ({ scopes }: SignIn, view: ConsentView): readonly Scope[] =>
    view.scopes.filter((scope) => scopes.includes(scope));

  function sendInvitationPage(
    request: Request,
    response: Response,
    signIn: SignIn,
    problem: { readonly code: CodeProblem; readonly status: number } | null = null,
  ): void {
    const browser = pages.cookie.ensure(request, response);
    pages.send(
      response,
      invitationPage(signIn, formsOf(signIn, browser), translatorOf(response, signIn), problem),
    );
  }

  router.get(CONSENT, async (request, response) => {
    const signIn = await findSignIn(request, response);
    if (!signIn) return pages.send(response, signInEndedPage(translatorOf(response, null)));
    const view = signIn.invitationId && (await findConsent(ports, signIn.invitationId));
    if (!view) return sendInvitationPage(request, response, signIn);
    if (!view.ok) return sendInvitationPage(request, response, signIn, { code: 'codeWrong', status: 409 });
    const forms = formsOf(signIn, pages.cookie.ensure(request, response));
    const translator = translatorOf(response, signIn);
    pages.send(
      response,
      consentPage(signIn, view.value, offeredTo(signIn, view.value), forms, translator, false),
    );
  });

  /** A form that this browser received for this sign-in, which is still pending. */
  async function readConsentForm(request: Request, response: Response): Promise<ConsentForm | null> {
    const path = pathOf(String(request.params['id']));
    const form = await readForm(request, response);
    const signIn = await findSignIn(request, response);
    const translator = translatorOf(response, signIn);
    const browser = pages.cookie.read(request);
    const site = request.headers['sec-fetch-site'] ?? 'none';
    if (!form.ok) pages.send(response, unreadableFormPage(translator, 400, path));
    else if (!signIn) pages.send(response, signInEndedPage(translator));
    else if (
      (site !== 'same-origin' && site !== 'none') ||
      browser === null ||
      !isCsrf(form.value.get('csrf') ?? null, browser, signIn.id)
    )
      pages.send(response, refusedFormPage(translator, path));
    else return { signIn, fields: form.value };
    return null;
  }

  router.post(`${CONSENT}/code`, async (request, response) => {
    const form = await readConsentForm(request, response);
    if (!form) return;
    const { signIn, fields } = form;
    const server = await open();
    const invitation = await findInvitation(ports, fields.get('code') ?? '');
    const view = invitation.ok ? await findConsent(ports, invitation.value.id) : invitation;
    if (view.ok && offeredTo(signIn, view.value).length > 0) {
      await server.storeInvitation(signIn.id, view.value.invitation.id);
      return pages.redirect(response, pathOf(signIn.id));
    }
    if (view.ok)
      return sendInvitationPage(request, response, signIn, { code: 'codeGrantsNothing', status: 422 });
    oauth.onRequest('consent', view.failure.code);
    const retryAfterSeconds = await ports.addressThrottle.recordFailure(request.ip);
    if (retryAfterSeconds !== null) {
      response.set('Retry-After', String(retryAfterSeconds));
      return sendInvitationPage(request, response, signIn, { code: 'tooManyCodes', status: 429 });
    }
    if (signIn.failures + 1 >= FAILURES_MAX)
      return pages.redirect(response, await server.finish(request, response, null));
    await server.recordFailure(signIn.id);
    sendInvitationPage(request, response, signIn, { code: 'codeWrong', status: 422 });
  });

  router.post(`${CONSENT}/decide`, async (request, response) => {
    const form = await readConsentForm(request, response);
    if (!form) return;
    const { signIn, fields } = form;
    const server = await open();
    if (fields.get('decision') !== 'allow') {
      oauth.onRequest('consent', 'denied');
      return pages.redirect(response, await server.finish(request, response, null));
    }
    const view = signIn.invitationId && (await findConsent(ports, signIn.invitationId));
    if (!signIn.invitationId || !view || !view.ok)
      return sendInvitationPage(request, response, signIn, { code: 'codeWrong', status: 409 });
    const offered = offeredTo(signIn, view.value);
    const scopes = offered.filter((scope) => fields.has(fieldOf(scope)));
    if (scopes.length === 0) {
      const forms = formsOf(signIn, pages.cookie.ensure(request, response));
      const translator = translatorOf(response, signIn);
      return pages.send(response, consentPage(signIn, view.value, offered, forms, translator, true));
    }
    const { oauthClientId, name, host } = signIn.client;
    const requestId = String(response.locals['requestId']);
    const command = { invitationId: signIn.invitationId, oauthClientId, name, host, scopes };
    const authorized = await authorizeClient(ports, requestId, command);
    oauth.onRequest('consent', authorized.ok ? 'ok' : authorized.failure.code);
    if (!authorized.ok)
      return sendInvitationPage(request, response, signIn, { code: 'codeWrong', status: 409 });
    pages.redirect(response, await server.finish(request, response, authorized.value.id));
  });

  // Going back or reloading requests the address of a form: redirect to the page.
  router.get([`${CONSENT}/code`, `${CONSENT}/decide`], (request, response) => {
    pages.redirect(response, pathOf(String(request.params['id'])));
  });
  router.all(CONSENT, pages.rejectMethod('GET, HEAD'));
  router.all([`${CONSENT}/code`, `${CONSENT}/decide`], pages.rejectMethod('POST'));
  router.use(['/oauth/authorize', '/oauth/consent'], pages.handleError);
  return router;
}
