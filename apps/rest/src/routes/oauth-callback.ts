import type { Service } from '@switchboard/bootstrap';
import { failures } from '@switchboard/domain';
import { completeConnect } from '@switchboard/domain/connections';
import { statusOfKind } from '@switchboard/operations';
import { Router } from 'express';
import { hostedPages } from '../connect/hosted-pages.js';
import { uniqueParameters } from '../connect/read-form.js';
import { brokenPage, nothingOpenPage } from '../pages/notice-pages.js';

/** A code can be exchanged only once: the exchange runs to completion even when the browser disconnects. */
const EXCHANGE_MS = 30_000;

/** The addresses to which platforms redirect the browser. No content of the query is ever displayed. */
export function oauthCallbackRoutes(service: Service): Router {
  const { ports } = service;
  const pages = hostedPages(service);
  const router = Router();

  router.use('/oauth/callback', pages.harden);

  router.get('/oauth/callback/:platform', async (request, response) => {
    const requestId = String(response.locals['requestId']);
    // A HEAD request must not spend the code.
    if (request.method !== 'GET')
      return pages.send(response, nothingOpenPage(pages.getTranslator(response), 404));
    const parameters = uniqueParameters(
      new URLSearchParams(request.originalUrl.split('?').slice(1).join('?')),
    );
    if (!parameters.ok) return pages.send(response, nothingOpenPage(pages.getTranslator(response), 400));
    const state = parameters.value.get('state');
    const browser = pages.cookie.read(request);
    if (!state || browser === null)
      return pages.send(response, nothingOpenPage(pages.getTranslator(response), 404));
    const completed = await completeConnect(
      ports,
      {
        platform: String(request.params['platform']),
        state,
        browser,
        parameters: Object.fromEntries(parameters.value),
      },
      { requestId, signal: AbortSignal.timeout(EXCHANGE_MS) },
    );
    if (completed.ok) {
      const { token, step, failure } = completed.value;
      if (failure) pages.logFailure(response, step.session, failure);
      if (step.kind === 'ended' || token === null) return pages.sendResult(response, step.session, token);
      const refused = step.kind === 'refused' ? `?refused=${step.error}` : '';
      return pages.redirect(response, `/connect/${token}${refused}`);
    }
    const { code } = completed.failure;
    if (code === 'connect_session.not_found')
      return pages.send(response, nothingOpenPage(pages.getTranslator(response), 404));
    pages.send(
      response,
      brokenPage(pages.getTranslator(response), statusOfKind[failures[code].kind], requestId),
    );
  });

  router.all('/oauth/callback/:platform', pages.rejectMethod('GET'));
  router.use('/oauth/callback', pages.handleError);
  return router;
}
