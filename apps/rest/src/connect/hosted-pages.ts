import type { Service } from '@switchboard/bootstrap';
import type { Failure } from '@switchboard/domain';
import type { ConnectSession } from '@switchboard/domain/connections';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { brokenPage, unknownLinkPage, wrongMethodPage } from '../pages/notice-pages.js';
import { pageHeaders } from '../pages/page-headers.js';
import type { Page } from '../pages/page.js';
import { resultPage, type EndedSession } from '../pages/result-page.js';
import { seeOther, sendPage } from '../pages/send-page.js';
import { translatorForRequest, type Translator } from '../texts/translator.js';
import { browserCookie, type BrowserCookie } from './browser-cookie.js';
import { buildReturnUrl } from './build-return-url.js';

/** Shared by the routes with hosted pages. */
export interface HostedPages {
  readonly cookie: BrowserCookie;
  /** The language of the response: that of the session, if there is one, else the browser's. */
  getTranslator(response: Response, session?: Pick<ConnectSession, 'locale'>): Translator;
  send(response: Response, page: Page): void;
  redirect(response: Response, url: string): void;
  /**
   * Shows the result of a session that has just ended: on the return URL of the workspace, if there is one,
   * else on the page of its link, which can be reloaded. Without the link's token the page is sent at once.
   */
  sendResult(response: Response, session: ConnectSession, token: string | null): Promise<void>;
  /** Shows the result of a session whose link is opened again, or, with 409, whose form came too late. */
  sendEnded(response: Response, session: ConnectSession, status?: 409): Promise<void>;
  /** The page states a remedy; the log has the reason, with the request id. */
  logFailure(response: Response, session: ConnectSession, failure: Failure): void;
  /** Adds the security headers to every response below, including those of other middleware. */
  readonly harden: RequestHandler;
  readonly rejectMethod: (allow: string) => RequestHandler;
  readonly handleError: ErrorRequestHandler;
}

export function hostedPages({ config, ports, observer, log }: Service): HostedPages {
  const https = config.publicUrl.startsWith('https:');
  const send = (response: Response, page: Page) => sendPage(response, page, https);
  const redirect = (response: Response, url: string) => seeOther(response, url, https);

  const translator: HostedPages['getTranslator'] = (response, session) =>
    translatorForRequest(session?.locale ?? null, response.req);

  async function readEndedSession(response: Response, session: ConnectSession): Promise<EndedSession> {
    const { workspaceId, profileId, connectionIds } = session;
    const [workspace, profile, ...foundConnections] = await Promise.all([
      ports.workspaces.find(workspaceId),
      ports.profiles.find(workspaceId, profileId),
      ...connectionIds.map((id) => ports.connections.find(workspaceId, id)),
    ]);
    if (!workspace || !profile) throw new Error('the session references a deleted workspace or profile');
    const connections = foundConnections.filter((connection) => connection !== null);
    const platformNames = new Map(
      connections.map(({ platform: id }) => [id, ports.manifests.find(id)?.name ?? id]),
    );
    return {
      session,
      workspace,
      profile,
      connections,
      platformNames,
      returnUrl: buildReturnUrl(session),
      translator: translator(response, session),
    };
  }

  return {
    cookie: browserCookie({ https, random: () => ports.tokens.random() }),
    getTranslator: translator,
    send,
    redirect,
    async sendResult(response, session, token) {
      const next = buildReturnUrl(session) ?? (token === null ? null : `/connect/${token}`);
      if (next !== null) return redirect(response, next);
      send(response, resultPage(await readEndedSession(response, session)));
    },
    async sendEnded(response, session, status) {
      const page = resultPage(await readEndedSession(response, session));
      send(response, session.status === 'expired' ? page : { ...page, status: status ?? page.status });
    },
    logFailure(response, { id, workspaceId }, { code, message, platform }) {
      const request_id = String(response.locals['requestId']);
      log.warn(
        { request_id, workspace: workspaceId, connect_session: id, code, message, platform },
        'login failed',
      );
    },
    harden: (_request, response, next) => {
      response.set(pageHeaders({ https }));
      next();
    },
    rejectMethod: (allow) => (_request, response) => {
      response.set('Allow', allow);
      send(response, wrongMethodPage(translator(response)));
    },
    handleError: (error: { status?: number }, _request, response, next) => {
      if (response.headersSent) return next(error);
      const requestId = response.locals['requestId'] as string;
      if (error.status === 400)
        return send(response, { ...unknownLinkPage(translator(response)), status: 400 });
      observer.onError(error, requestId);
      send(response, brokenPage(translator(response), 500, requestId));
    },
  };
}
