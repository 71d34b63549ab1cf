import type { Service } from '@switchboard/bootstrap';
import { failures, openConnect, type OpenConnect } from '@switchboard/domain';
import { statusOfKind } from '@switchboard/operations';
import type { Request, Response } from 'express';
import { refusedFormPage, unknownLinkPage, unreadableFormPage } from '../pages/notice-pages.js';
import { isCsrf } from './browser-cookie.js';
import type { HostedPages } from './hosted-pages.js';
import { readForm } from './read-form.js';

export interface Link {
  readonly token: string;
  readonly open: OpenConnect;
}

export interface Submitted extends Link {
  readonly browser: string;
  readonly fields: ReadonlyMap<string, string>;
}

/** As this browser sees it. */
export async function findLink(
  { ports }: Pick<Service, 'ports'>,
  { cookie }: Pick<HostedPages, 'cookie'>,
  request: Request,
): Promise<Link | null> {
  const token = String(request.params['token']);
  const open = await openConnect(ports, token, cookie.read(request));
  return open.ok ? { token, open: open.value } : null;
}

/** A form that this browser got from us for this very link, while the link still works. */
export async function submittedForm(
  service: Service,
  pages: HostedPages,
  request: Request,
  response: Response,
): Promise<Submitted | null> {
  const path = `/connect/${encodeURIComponent(String(request.params['token']))}`;
  const words = pages.words(response);
  const form = await readForm(request, response);
  if (!form.ok) {
    pages.send(response, unreadableFormPage(words, statusOfKind[failures[form.failure.code].kind], path));
    return null;
  }
  const found = await findLink(service, pages, request);
  if (!found) {
    pages.send(response, unknownLinkPage(words));
    return null;
  }
  const browser = pages.cookie.read(request);
  const site = request.headers['sec-fetch-site'] ?? 'none';
  const ours = site === 'same-origin' || site === 'none';
  if (!ours || browser === null || !isCsrf(form.value.get('csrf') ?? null, browser, found.token)) {
    pages.send(response, refusedFormPage(pages.words(response, found.open.session), path));
    return null;
  }
  if (found.open.session.status !== 'pending') {
    await pages.over(response, found.open.session, 409);
    return null;
  }
  return { ...found, browser, fields: form.value };
}
