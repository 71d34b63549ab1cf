import type { Service } from '@switchboard/bootstrap';
import { failures } from '@switchboard/domain';
import {
  decideOnPage,
  decisionPageCall,
  openDecision,
  openDecisionMedia,
  type Decision,
  type DecisionSubject,
} from '@switchboard/domain/approvals';
import { statusOfKind } from '@switchboard/operations';
import { Router, type Request, type Response } from 'express';
import { csrfOf, isCsrf } from '../connect/browser-cookie.js';
import { hostedPages } from '../connect/hosted-pages.js';
import { readForm } from '../connect/read-form.js';
import { redirectToPublicHost } from '../connect/redirect-to-public-host.js';
import { decidedPage } from '../pages/decided-page.js';
import { decisionPage, NOTE_MAX, type RejectedForm } from '../pages/decision-page.js';
import { refusedFormPage, unknownLinkPage, unreadableFormPage } from '../pages/notice-pages.js';
import { sendProblem } from '../problem.js';

const PAGE = '/approvals/:token';
const FORMS = [`${PAGE}/approve`, `${PAGE}/reject`];
const TIMEOUT_MS = 30_000;

type OpenDecision = Decision & { readonly subject: DecisionSubject };

const isOpenDecision = (decision: Decision): decision is OpenDecision => decision.subject !== null;

/**
 * The page on which a person decides about a post or a refund. The token of its link is the permission. Only its
 * forms decide: programs that open links in advance change nothing.
 */
export function approvalRoutes(service: Service): Router {
  const { config, ports } = service;
  const pages = hostedPages(service);
  const router = Router();
  const tokenOf = (request: Request) => String(request.params['token']);
  const pathOf = (token: string) => `/approvals/${encodeURIComponent(token)}`;
  const signal = () => AbortSignal.timeout(TIMEOUT_MS);

  router.use('/approvals', pages.harden);

  function sendDecision(
    request: Request,
    response: Response,
    decision: OpenDecision,
    rejected: RejectedForm | null = null,
  ): void {
    const path = pathOf(tokenOf(request));
    const forms = {
      path,
      csrf: csrfOf(pages.cookie.ensure(request, response), tokenOf(request)),
      targets: [],
    };
    const mediaPath = (deliveryId: string, part: number, index: number) =>
      `${path}/media/${deliveryId}/${part}/${index}`;
    pages.send(response, decisionPage(decision, forms, mediaPath, pages.getTranslator(response), rejected));
  }

  router.get(PAGE, redirectToPublicHost(config.publicUrl), async (request, response) => {
    const decision = await openDecision(ports, tokenOf(request));
    const translator = pages.getTranslator(response);
    if (!decision) return pages.send(response, unknownLinkPage(translator));
    if (!isOpenDecision(decision)) return pages.send(response, decidedPage(decision, translator, false));
    sendDecision(request, response, decision);
  });

  router.get(`${PAGE}/media/:delivery/:part/:index`, async (request, response) => {
    const position = {
      token: tokenOf(request),
      deliveryId: String(request.params['delivery']),
      part: Number(request.params['part']),
      index: Number(request.params['index']),
    };
    const opened = await openDecisionMedia(ports, position, signal());
    if (!opened.ok) return sendProblem(response, opened.failure, String(response.locals['requestId']));
    pages.redirect(response, new URL(opened.value).pathname);
  });

  router.post(FORMS, async (request, response) => {
    const token = tokenOf(request);
    const path = pathOf(token);
    const translator = pages.getTranslator(response);
    const form = await readForm(request, response);
    if (!form.ok) {
      const status = statusOfKind[failures[form.failure.code].kind];
      return pages.send(response, unreadableFormPage(translator, status, path));
    }
    const decision = await openDecision(ports, token);
    if (!decision) return pages.send(response, unknownLinkPage(translator));
    const fields = form.value;
    const browser = pages.cookie.read(request);
    const site = request.headers['sec-fetch-site'] ?? 'none';
    const isOwnForm =
      (site === 'same-origin' || site === 'none') &&
      browser !== null &&
      isCsrf(fields.get('csrf') ?? null, browser, token);
    if (!isOwnForm) return pages.send(response, refusedFormPage(translator, path));
    if (!isOpenDecision(decision)) return pages.send(response, decidedPage(decision, translator, true));

    const isRejection = request.path.endsWith('/reject');
    const note = (fields.get('note') ?? '').replaceAll('\r\n', '\n').trim();
    if (isRejection && (note === '' || note.length > NOTE_MAX))
      return sendDecision(request, response, decision, { note });
    const call = decisionPageCall(decision.approval, {
      requestId: String(response.locals['requestId']),
      address: request.ip,
      signal: signal(),
    });
    const decided = await decideOnPage(ports, call, decision.approval, {
      digest: fields.get('digest') ?? '',
      status: isRejection ? 'rejected' : 'approved',
      note: isRejection ? note : null,
    });
    if (decided.ok) return pages.redirect(response, path);
    // It was decided, changed, or its media is not here yet: the page shows what is true now.
    const now = await openDecision(ports, token);
    if (!now) return pages.send(response, unknownLinkPage(translator));
    if (!isOpenDecision(now)) return pages.send(response, decidedPage(now, translator, true));
    if (decided.failure.code === 'approval.media_not_ready') return sendDecision(request, response, now);
    pages.send(response, decidedPage({ ...now, subject: null }, translator, true));
  });

  // Going back or reloading requests the address of a form: redirect to the page.
  router.get(FORMS, (request, response) => pages.redirect(response, pathOf(tokenOf(request))));
  router.all(PAGE, pages.rejectMethod('GET, HEAD'));
  router.all(FORMS, pages.rejectMethod('POST'));
  router.use('/approvals', pages.handleError);
  return router;
}
