import type { Service } from '@switchboard/bootstrap';
import type { ConnectSession } from '@switchboard/domain';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { brokenPage, unknownLinkPage, wrongMethodPage } from '../pages/notice-pages.js';
import { pageHeaders } from '../pages/page-headers.js';
import type { Page } from '../pages/page.js';
import { resultPage, type Ended } from '../pages/result-page.js';
import { seeOther, sendPage } from '../pages/send-page.js';
import { wordsFor, type Words } from '../texts/words.js';
import { browserCookie, type BrowserCookie } from './browser-cookie.js';
import { returnTo } from './return-to.js';

/** What the routes with pages for people share. */
export interface HostedPages {
  readonly cookie: BrowserCookie;
  /** The language for whoever asked: that of the session, if there is one, else the browser's. */
  words(response: Response, session?: Pick<ConnectSession, 'locale'>): Words;
  send(response: Response, page: Page): void;
  redirect(response: Response, url: string): void;
  /** Tells how a session ended just now: on the workspace's own page where there is one, else on ours. */
  end(response: Response, session: ConnectSession): Promise<void>;
  /** Tells somebody who came back that the link is over: 410 to a look, 409 to a form that came too late. */
  over(response: Response, session: ConnectSession, status: 410 | 409): Promise<void>;
  /** Hardens whatever is answered below, also by somebody else. */
  readonly harden: RequestHandler;
  readonly wrongMethod: (allow: string) => RequestHandler;
  readonly broken: ErrorRequestHandler;
}

export function hostedPages({ config, ports, observer }: Service): HostedPages {
  const https = config.publicUrl.startsWith('https:');
  const send = (response: Response, page: Page) => sendPage(response, page, https);
  const redirect = (response: Response, url: string) => seeOther(response, url, https);

  const words: HostedPages['words'] = (response, session) => wordsFor(session?.locale ?? null, response.req);

  async function endedOf(response: Response, session: ConnectSession): Promise<Ended> {
    const { workspaceId, profileId, connectionIds } = session;
    const [workspace, profile, ...found] = await Promise.all([
      ports.workspaces.find(workspaceId),
      ports.profiles.find(workspaceId, profileId),
      ...connectionIds.map((id) => ports.connections.find(workspaceId, id)),
    ]);
    if (!workspace || !profile) throw new Error('a session has outlived its workspace or profile');
    const connections = found.filter((connection) => connection !== null);
    const platformNames = new Map(
      connections.map(({ platform: id }) => [id, ports.manifests.find(id)?.name ?? id]),
    );
    return {
      session,
      workspace,
      profile,
      connections,
      platformNames,
      back: returnTo(session),
      words: words(response, session),
    };
  }

  return {
    cookie: browserCookie({ https, random: () => ports.tokens.random() }),
    words,
    send,
    redirect,
    async end(response, session) {
      const back = returnTo(session);
      if (back !== null) return redirect(response, back);
      send(response, resultPage(await endedOf(response, session), true));
    },
    async over(response, session, status) {
      const page = resultPage(await endedOf(response, session), false);
      send(response, session.status === 'expired' ? page : { ...page, status });
    },
    harden: (_request, response, next) => {
      response.set(pageHeaders({ https }));
      next();
    },
    wrongMethod: (allow) => (_request, response) => {
      response.set('Allow', allow);
      send(response, wrongMethodPage(words(response)));
    },
    broken: (error: { status?: number }, _request, response, next) => {
      if (response.headersSent) return next(error);
      const requestId = response.locals['requestId'] as string;
      if (error.status === 400) return send(response, { ...unknownLinkPage(words(response)), status: 400 });
      observer.threw(error, requestId);
      send(response, brokenPage(words(response), 500, requestId));
    },
  };
}
