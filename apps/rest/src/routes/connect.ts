import type { Service } from '@switchboard/bootstrap';
import { failures } from '@switchboard/domain';
import {
  beginConnect,
  chooseAccounts,
  connectPageCall,
  abandonChoice,
  finishConnect,
  openConnect,
  type ConnectSession,
  type ConnectStep,
} from '@switchboard/domain/connections';
import { statusOfKind } from '@switchboard/operations';
import { Router, type Response } from 'express';
import { readFieldValues, connectFormPage, formsOf, choosePage } from '../connect/connect-forms.js';
import { hostedPages } from '../connect/hosted-pages.js';
import { redirectToPublicHost } from '../connect/redirect-to-public-host.js';
import { findLink, readSubmittedForm } from '../connect/read-submitted-form.js';
import { accountsPage } from '../pages/accounts-page.js';
import { brokenPage, unknownLinkPage } from '../pages/notice-pages.js';
import { queryOf } from '../query-of.js';

/**
 * A call to a platform runs to completion even when the browser disconnects: a login is not aborted halfway.
 */
const PLATFORM_TIMEOUT_MS = 30_000;

/** The hosted page of `POST /v1/connect/url`. Page views change nothing; its forms do. */
export function connectRoutes(service: Service): Router {
  const { config, ports } = service;
  const pages = hostedPages(service);
  const router = Router();

  router.use('/connect', pages.harden);

  const callOf = (session: ConnectSession, response: Response) =>
    connectPageCall(session, String(response.locals['requestId']), AbortSignal.timeout(PLATFORM_TIMEOUT_MS));
  /**
   * Redirects to the result of a login: to the link's own page while it is open, so that going back or
   * reloading submits nothing again.
   */
  const sendStep = async (response: Response, token: string, step: ConnectStep) =>
    step.kind === 'ended'
      ? pages.sendResult(response, step.session, token)
      : pages.redirect(response, `/connect/${token}`);

  router.get('/connect/:token', redirectToPublicHost(config.publicUrl), async (request, response) => {
    const found = await findLink(service, pages, request);
    if (!found) return pages.send(response, unknownLinkPage(pages.getTranslator(response)));
    const { token, open } = found;
    if (open.session.status !== 'pending') return pages.sendEnded(response, open.session);
    const browser = pages.cookie.ensure(request, response);
    pages.send(
      response,
      choosePage(config, open, {
        token,
        browser,
        translator: pages.getTranslator(response, open.session),
        query: queryOf(request.originalUrl),
      }),
    );
  });

  router.post('/connect/:token/begin', async (request, response) => {
    const form = await readSubmittedForm(service, pages, request, response);
    if (!form) return;
    const { open, token, browser, fields } = form;
    const { session } = open;
    const chosen = fields.get('platform') ?? '';
    const connectMethod = ports.manifests
      .find(chosen)
      ?.connect.find(({ id }) => id === fields.get('connect_method'));
    const answers = readFieldValues(connectMethod, fields);
    const command = {
      session,
      token,
      platform: chosen,
      connectMethod: connectMethod?.id ?? '',
      fieldValues: answers,
      browser,
    };
    const started = await beginConnect(ports, callOf(session, response), command);
    if (started.ok) {
      const { value } = started;
      return value.kind === 'redirect'
        ? pages.redirect(response, value.url)
        : sendStep(response, token, value);
    }
    const { failure } = started;
    pages.logFailure(response, session, failure);
    const current = await openConnect(ports, token, browser);
    if (current.ok && current.value.session.status !== 'pending')
      return pages.sendEnded(response, current.value.session, 409);
    const translator = pages.getTranslator(response, session);
    const attempt = {
      connectMethod: connectMethod?.id ?? '',
      answers,
      failure,
      status: statusOfKind[failures[failure.code].kind],
    };
    pages.send(response, connectFormPage(config, open, { token, browser, translator, chosen }, attempt));
  });

  router.post('/connect/:token/choose', async (request, response) => {
    const form = await readSubmittedForm(service, pages, request, response);
    if (!form) return;
    const { open, token, browser, fields } = form;
    const { session, choice } = open;
    const choiceId = fields.get('choice') ?? '';
    if (fields.get('decision') === 'none') {
      await abandonChoice(ports, session, browser, choiceId);
      return pages.redirect(response, `/connect/${token}`);
    }
    const translator = pages.getTranslator(response, session);
    const accountIds = (choice?.accounts ?? [])
      .filter((_, index) => fields.has(`account_${index}`) || fields.get('account') === String(index))
      .map(({ account }) => account.id);
    const chosen = await chooseAccounts(ports, callOf(session, response), {
      session,
      choiceId,
      browser,
      accountIds,
    });
    if (chosen.ok) return sendStep(response, token, chosen.value);
    const { code } = chosen.failure;
    if (code === 'connect.choice_invalid' && choice) {
      const forms = formsOf(config, open, { token, browser });
      return pages.send(response, accountsPage(open, choice, forms, translator, accountIds));
    }
    // Another tab was faster, or the page was open too long: the page of the link shows the current state.
    if (code === 'connect_session.not_found') return pages.redirect(response, `/connect/${token}`);
    const requestId = String(response.locals['requestId']);
    pages.send(response, brokenPage(translator, statusOfKind[failures[code].kind], requestId));
  });

  router.post(['/connect/:token/done', '/connect/:token/cancel'], async (request, response) => {
    const form = await readSubmittedForm(service, pages, request, response);
    if (!form) return;
    await pages.sendResult(response, await finishConnect(ports, form.open.session), form.token);
  });

  const forms = ['begin', 'choose', 'done', 'cancel'].map((form) => `/connect/:token/${form}`);
  // Going back or reloading requests the address of a form: redirect to the link.
  router.get(forms, (request, response) => {
    pages.redirect(response, `/connect/${encodeURIComponent(String(request.params['token']))}`);
  });
  router.all('/connect/:token', pages.rejectMethod('GET, HEAD'));
  router.all(forms, pages.rejectMethod('POST'));
  router.use('/connect', pages.handleError);
  return router;
}
