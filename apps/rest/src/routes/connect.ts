import type { Service } from '@switchboard/bootstrap';
import {
  beginConnect,
  chooseAccounts,
  connectPageCall,
  dropChoice,
  failures,
  finishConnect,
  openConnect,
  type ConnectSession,
  type ConnectStep,
} from '@switchboard/domain';
import { statusOfKind } from '@switchboard/operations';
import { Router, type Response } from 'express';
import { answersOf, connectFormPage, formsOf, openPage } from '../connect/connect-forms.js';
import { hostedPages } from '../connect/hosted-pages.js';
import { onPublicHost } from '../connect/on-public-host.js';
import { findLink, submittedForm } from '../connect/submitted-form.js';
import { accountsPage } from '../pages/accounts-page.js';
import { brokenPage, unknownLinkPage } from '../pages/notice-pages.js';
import { queryOf } from '../query-of.js';

/** A trip to a platform ends with what it brought even when the browser has gone: a login is not taken back half-way. */
const TRIP_MS = 30_000;

/** The hosted page that `POST /v1/connect/url` leads to. Looking at it changes nothing; its forms do. */
export function connectRoutes(service: Service): Router {
  const { config, ports } = service;
  const pages = hostedPages(service);
  const router = Router();

  router.use('/connect', pages.harden);

  const callOf = (session: ConnectSession, response: Response) =>
    connectPageCall(session, String(response.locals['requestId']), AbortSignal.timeout(TRIP_MS));
  /** Tells what a login did: on the link's own page while it is open, so that going back or reloading sends nothing again. */
  const tell = async (response: Response, token: string, step: ConnectStep) =>
    step.kind === 'ended' ? pages.end(response, step.session) : pages.redirect(response, `/connect/${token}`);

  router.get('/connect/:token', onPublicHost(config.publicUrl), async (request, response) => {
    const found = await findLink(service, pages, request);
    if (!found) return pages.send(response, unknownLinkPage(pages.words(response)));
    const { token, open } = found;
    if (open.session.status !== 'pending') return pages.over(response, open.session, 410);
    const browser = pages.cookie.ensure(request, response);
    pages.send(
      response,
      openPage(config, open, {
        token,
        browser,
        words: pages.words(response, open.session),
        query: queryOf(request.originalUrl),
      }),
    );
  });

  router.post('/connect/:token/begin', async (request, response) => {
    const form = await submittedForm(service, pages, request, response);
    if (!form) return;
    const { open, token, browser, fields } = form;
    const { session } = open;
    const chosen = fields.get('platform') ?? '';
    const way = ports.manifests.find(chosen)?.connect.find(({ id }) => id === fields.get('way'));
    const answers = answersOf(way, fields);
    const command = { session, token, platform: chosen, way: way?.id ?? '', answers, browser };
    const begun = await beginConnect(ports, callOf(session, response), command);
    if (begun.ok) {
      const { value } = begun;
      return value.kind === 'redirect' ? pages.redirect(response, value.url) : tell(response, token, value);
    }
    const { failure } = begun;
    const now = await openConnect(ports, token, browser);
    if (now.ok && now.value.session.status !== 'pending') return pages.over(response, now.value.session, 409);
    const words = pages.words(response, session);
    const attempt = {
      way: way?.id ?? '',
      answers,
      failure,
      status: statusOfKind[failures[failure.code].kind],
    };
    pages.send(response, connectFormPage(config, open, { token, browser, words, chosen }, attempt));
  });

  router.post('/connect/:token/choose', async (request, response) => {
    const form = await submittedForm(service, pages, request, response);
    if (!form) return;
    const { open, token, browser, fields } = form;
    const { session, choice } = open;
    const choiceId = fields.get('choice') ?? '';
    if (fields.get('decision') === 'none') {
      await dropChoice(ports, session, browser, choiceId);
      return pages.redirect(response, `/connect/${token}`);
    }
    const words = pages.words(response, session);
    const accountIds = (choice?.accounts ?? [])
      .filter((_, index) => fields.has(`account_${index}`) || fields.get('account') === String(index))
      .map(({ account }) => account.id);
    const chosen = await chooseAccounts(ports, callOf(session, response), {
      session,
      choiceId,
      browser,
      accountIds,
    });
    if (chosen.ok) return tell(response, token, chosen.value);
    const { code } = chosen.failure;
    if (code === 'connect.choice_invalid' && choice) {
      const forms = formsOf(config, open, { token, browser });
      return pages.send(response, accountsPage(open, choice, forms, words, accountIds));
    }
    // Another tab was quicker, or the page had lain open for long: the link says how things stand.
    if (code === 'connect_session.not_found') return pages.redirect(response, `/connect/${token}`);
    const requestId = String(response.locals['requestId']);
    pages.send(response, brokenPage(words, statusOfKind[failures[code].kind], requestId));
  });

  router.post(['/connect/:token/done', '/connect/:token/cancel'], async (request, response) => {
    const form = await submittedForm(service, pages, request, response);
    if (!form) return;
    await pages.end(response, await finishConnect(ports, form.open.session));
  });

  const forms = ['begin', 'choose', 'done', 'cancel'].map((form) => `/connect/:token/${form}`);
  // A form's own address is looked at after going back or reloading: the link is what is meant.
  router.get(forms, (request, response) => {
    pages.redirect(response, `/connect/${encodeURIComponent(String(request.params['token']))}`);
  });
  router.all('/connect/:token', pages.wrongMethod('GET, HEAD'));
  router.all(forms, pages.wrongMethod('POST'));
  router.use('/connect', pages.broken);
  return router;
}
