import type { Service } from '@switchboard/bootstrap';
import { failures } from '@switchboard/domain';
import { openConnect, type ConnectPageView } from '@switchboard/domain/connections';
import { statusOfKind } from '@switchboard/operations';
import type { Request, Response } from 'express';
import { refusedFormPage, unknownLinkPage, unreadableFormPage } from '../pages/notice-pages.js';
import { isCsrf } from './browser-cookie.js';
import type { HostedPages } from './hosted-pages.js';
import { readForm } from './read-form.js';

interface ConnectLink {
  readonly token: string;
  readonly open: ConnectPageView;
}

interface FormSubmission extends ConnectLink {
  readonly browser: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** The link as this browser may see it. */
export async function findLink(
  { ports }: Pick<Service, 'ports'>,
  { cookie }: Pick<HostedPages, 'cookie'>,
  request: Request,
): Promise<ConnectLink | null> {
  const token = String(request.params['token']);
  const open = await openConnect(ports, token, cookie.read(request));
  return open.ok ? { token, open: open.value } : null;
}

/** A submitted form that this browser received for this link, while the link is still valid. */
export async function readSubmittedForm(
  service: Service,
  pages: HostedPages,
  request: Request,
  response: Response,
): Promise<FormSubmission | null> {
  const path = `/connect/${encodeURIComponent(String(request.params['token']))}`;
  const translator = pages.getTranslator(response);
  const form = await readForm(request, response);
  if (!form.ok) {
    pages.send(
      response,
      unreadableFormPage(translator, statusOfKind[failures[form.failure.code].kind], path),
    );
    return null;
  }
  const link = await findLink(service, pages, request);
  if (!link) {
    pages.send(response, unknownLinkPage(translator));
    return null;
  }
  const browser = pages.cookie.read(request);
  const site = request.headers['sec-fetch-site'] ?? 'none';
  const isSameOrigin = site === 'same-origin' || site === 'none';
  if (!isSameOrigin || browser === null || !isCsrf(form.value.get('csrf') ?? null, browser, link.token)) {
    pages.send(response, refusedFormPage(pages.getTranslator(response, link.open.session), path));
    return null;
  }
  if (link.open.session.status !== 'pending') {
    await pages.sendEnded(response, link.open.session, 409);
    return null;
  }
  return { ...link, browser, fields: form.value };
}
