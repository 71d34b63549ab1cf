import type { Service } from '@switchboard/bootstrap';
import { beginConnect, cancelConnect, connectPageCall, failures, openConnect } from '@switchboard/domain';
import { statusOfKind } from '@switchboard/operations';
import { Router } from 'express';
import { answersOf, connectFormPage } from '../connect/connect-forms.js';
import { hostedPages } from '../connect/hosted-pages.js';
import { onPublicHost } from '../connect/on-public-host.js';
import { findLink, submittedForm } from '../connect/submitted-form.js';
import { unknownLinkPage } from '../pages/notice-pages.js';

/** A trip to a platform ends with what it brought even when the browser has gone: a login is not taken back half-way. */
const TRIP_MS = 30_000;

/** The hosted page that `POST /v1/connect/url` leads to. Looking at it changes nothing; its forms do. */
export function connectRoutes(service: Service): Router {
  const { config, ports } = service;
  const pages = hostedPages(service);
  const router = Router();

  router.use('/connect', pages.harden);

  router.get('/connect/:token', onPublicHost(config.publicUrl), async (request, response) => {
    const found = await findLink(ports, request);
    if (!found) return pages.send(response, unknownLinkPage());
    const { token, open } = found;
    if (open.session.status !== 'pending') return pages.over(response, open.session, 410);
    const browser = pages.cookie.ensure(request, response);
    const chosen = new URLSearchParams(request.originalUrl.split('?')[1]).get('platform');
    pages.send(response, connectFormPage(config, open, { token, browser, chosen }));
  });

  router.post('/connect/:token/begin', async (request, response) => {
    const form = await submittedForm(service, pages, request, response);
    if (!form) return;
    const { open, token, browser, fields } = form;
    const { session } = open;
    const chosen = fields.get('platform') ?? '';
    const way = ports.manifests.find(chosen)?.connect.find(({ id }) => id === fields.get('way'));
    const answers = answersOf(way, fields);
    const call = connectPageCall(session, String(response.locals['requestId']), AbortSignal.timeout(TRIP_MS));
    const command = { session, platform: chosen, way: way?.id ?? '', answers, browser };
    const begun = await beginConnect(ports, call, command);
    if (begun.ok) {
      const { value } = begun;
      if (value.kind === 'redirect') return pages.redirect(response, value.url);
      return pages.end(response, value.session);
    }
    const { failure } = begun;
    const now = await openConnect(ports, token);
    if (now.ok && now.value.session.status !== 'pending') return pages.over(response, now.value.session, 409);
    const attempt = {
      way: way?.id ?? '',
      answers,
      failure,
      status: statusOfKind[failures[failure.code].kind],
    };
    pages.send(response, connectFormPage(config, open, { token, browser, chosen }, attempt));
  });

  router.post('/connect/:token/cancel', async (request, response) => {
    const form = await submittedForm(service, pages, request, response);
    if (!form) return;
    const session = await cancelConnect(ports, form.open.session);
    if (session.status === 'cancelled') return pages.end(response, session);
    await pages.over(response, session, 409);
  });

  // A form's own address is looked at after going back or reloading: the link is what is meant.
  router.get(['/connect/:token/begin', '/connect/:token/cancel'], (request, response) => {
    pages.redirect(response, `/connect/${encodeURIComponent(String(request.params['token']))}`);
  });
  router.all('/connect/:token', pages.wrongMethod('GET, HEAD'));
  router.all(['/connect/:token/begin', '/connect/:token/cancel'], pages.wrongMethod('POST'));
  router.use('/connect', pages.broken);
  return router;
}
