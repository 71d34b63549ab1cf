import type { FaultOrder, OAuthApp, SimulatedServer } from '@switchboard/simulators';
import { formOf, openBrowser, type Browser, type Visit } from './browser.js';
import { beginAt, locationOf } from './connect-sandbox.js';
import { objects, text, type JsonObject } from './json.js';
import { restClient, type RestClient } from './rest-client.js';
import { startSwitchboard, type Env, type Switchboard } from './switchboard.js';

export interface SocialDesk {
  readonly switchboard: Switchboard;
  readonly client: RestClient;
  /** Everything that was ever answered. */
  readonly heard: readonly string[];
  /** Goes through the hosted flow and says yes at the platform's own page; answers where the browser ends. */
  consent(
    more?: Readonly<Record<string, string>>,
    way?: string,
  ): Promise<{ readonly session: JsonObject; readonly last: Visit; readonly browser: Browser }>;
  /** The same, for a login of one account; answers the connection's id. */
  connect(): Promise<string>;
  /** The same, for a login of several: ticks the first so many that the hosted page offers; answers that page and the connections. */
  connectSeveral(
    many: number,
    more?: Readonly<Record<string, string>>,
    way?: string,
  ): Promise<{ readonly offered: string; readonly ids: readonly string[] }>;
  /** Creates a post and waits until it has settled. */
  post(body: JsonObject, seconds?: number): Promise<JsonObject>;
  /** Breaks the next request that posts to this path. */
  breakNext(kind: FaultOrder['kind'], path: string): void;
  close(): Promise<void>;
}

/** The operator's app, of which the simulated platform learns the redirect URI once it is known. */
export const socialApp = (platform: string): OAuthApp & { readonly redirectUris: string[] } => ({
  clientId: `our-app-at-${platform}`,
  clientSecret: `secret-of-our-app-at-${platform}`,
  redirectUris: [],
});

/** A service of its own beside one simulated platform, and whoever uses both. Without an app where people type a key. */
export async function openSocialDesk(
  platform: string,
  server: SimulatedServer,
  app: ReturnType<typeof socialApp> | null,
  env: Env = {},
): Promise<SocialDesk> {
  const name = `SWITCHBOARD_${platform.toUpperCase()}`;
  const { host } = new URL(server.url);
  const hosts = env['SWITCHBOARD_ALLOW_PRIVATE_HOSTS'];
  const switchboard = await startSwitchboard({
    name: `${platform}_journey`,
    env: {
      ...env,
      [`${name}_BASE_URL`]: server.url,
      ...(app && {
        [`${name}_CLIENT_ID`]: app.clientId,
        [`${name}_CLIENT_SECRET`]: app.clientSecret,
      }),
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: hosts === undefined ? host : `${hosts},${host}`,
    },
  });
  const publicUrl = env['SWITCHBOARD_PUBLIC_URL'] ?? switchboard.url;
  app?.redirectUris.push(`${publicUrl}/oauth/callback/${platform}`);
  const heard: string[] = [];
  const client = restClient(switchboard.url, switchboard.keys.full, heard);
  const local = (url: string) => url.replace(publicUrl, switchboard.url);

  /** The name of the public URL leads nowhere here: the page is told that the browser has been there. */
  const hosted = (url: string) => (publicUrl === switchboard.url ? url : `${local(url)}?moved=1`);

  async function consent(more: Readonly<Record<string, string>> = {}, way = 'oauth') {
    const started = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
    const browser = openBrowser();
    const leaving = await beginAt(browser, hosted(text(started['url'])), way);
    const asked = await browser.get(locationOf(leaving));
    const form = formOf(asked, ({ fields }) => fields['state'] !== undefined);
    const answered = await browser.post(form.action, { ...form.fields, decision: 'approve', ...more });
    const last = await browser.get(local(locationOf(answered)));
    const session = await client.expect(200, 'GET', `/connect/sessions/${text(started['id'])}`);
    return { session, last, browser };
  }

  return {
    switchboard,
    client,
    heard,
    consent,
    async connect() {
      const { session, last } = await consent();
      if (session['status'] !== 'connected') throw new Error(`${JSON.stringify(session)}\n${last.text}`);
      const [id = ''] = session['connection_ids'] as string[];
      return id;
    },
    async connectSeveral(many, more, way) {
      const { session, last, browser } = await consent(more, way);
      const offered = await browser.get(hosted(locationOf(last)));
      const form = formOf(
        offered,
        ({ fields }) => fields['choice'] !== undefined && fields['decision'] === undefined,
      );
      const ticked = Object.fromEntries(Array.from({ length: many }, (_, at) => [`account_${at}`, '1']));
      await browser.post(form.action, { ...form.fields, ...ticked });
      const settled = await client.expect(200, 'GET', `/connect/sessions/${text(session['id'])}`);
      return { offered: offered.text, ids: settled['connection_ids'] as string[] };
    },
    async post(body, seconds = 20) {
      const created = await client.expect(201, 'POST', '/social/posts', { body });
      for (let look = 0; look < 5 * seconds; look++) {
        const now = await client.expect(200, 'GET', `/social/posts/${text(created['id'])}`);
        if (now['status'] !== 'publishing' && now['status'] !== 'scheduled') return now;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      throw new Error(`the post did not settle within ${seconds} seconds`);
    },
    breakNext: (kind, path) =>
      server.faults.add({ platform: 'social', kind, match: { method: 'POST', path_prefix: path } }),
    async close() {
      await switchboard.stop();
      await server.close();
    },
  };
}

/** The external ids of the parts of a post's only delivery. */
export const partsOf = (published: JsonObject): readonly string[] => {
  const [delivery] = objects(published['deliveries']);
  return objects(delivery?.['parts']).map((part) => text(part['external_id']));
};
