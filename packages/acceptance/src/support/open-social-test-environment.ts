import type { FaultSpec, OAuthApp, SimulatedServer } from '@switchboard/simulators';
import { findForm, openBrowser, type Browser, type PageVisit } from './browser.js';
import { submitConnectForm, getLocation } from './connect-sandbox.js';
import { eventually } from './eventually.js';
import { asObjects, asText, type JsonObject } from './json.js';
import { restClient, type RestClient } from './rest-client.js';
import type { Env, Switchboard } from './installation.js';
import { serveSwitchboard } from './serve-switchboard.js';

export interface SocialTestEnvironment {
  readonly switchboard: Switchboard;
  readonly client: RestClient;
  /** Every response received so far. */
  readonly transcript: readonly string[];
  /** Goes through the hosted flow and consents on the platform's page; returns the final page. */
  completeConsent(
    more?: Readonly<Record<string, string>>,
    connectMethod?: string,
  ): Promise<{ readonly session: JsonObject; readonly last: PageVisit; readonly browser: Browser }>;
  /** The same for a login of one account; returns the connection ID. */
  connect(): Promise<string>;
  /**
   * The same for a login of several accounts: selects the first n that the hosted page offers; returns that
   * page and the connections.
   */
  connectSeveral(
    many: number,
    more?: Readonly<Record<string, string>>,
    connectMethod?: string,
  ): Promise<{ readonly offered: string; readonly ids: readonly string[] }>;
  /** Creates a post and waits until it has settled. */
  publishPost(body: JsonObject): Promise<JsonObject>;
  /** Injects a fault into the next request that posts to this path. */
  injectFaultOnce(kind: FaultSpec['kind'], path: string): void;
  close(): Promise<void>;
}

/** The operator's app; the simulated platform learns its redirect URI once it is known. */
export const createSocialApp = (platform: string): OAuthApp & { readonly redirectUris: string[] } => ({
  clientId: `our-app-at-${platform}`,
  clientSecret: `secret-of-our-app-at-${platform}`,
  redirectUris: [],
});

/**
 * A separate service next to one simulated platform, with a client and a browser. No app for platforms that
 * are connected with a key.
 */
export async function openSocialTestEnvironment(
  platform: string,
  server: SimulatedServer,
  app: ReturnType<typeof createSocialApp> | null,
  env: Env = {},
): Promise<SocialTestEnvironment> {
  const name = `SWITCHBOARD_${platform.toUpperCase()}`;
  const { host } = new URL(server.url);
  const hosts = env['SWITCHBOARD_ALLOW_PRIVATE_HOSTS'];
  const switchboard = await serveSwitchboard({
    // The name of a test database has at most 30 characters.
    name: `${platform}_journey`.slice(0, 30),
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
  const transcript: string[] = [];
  const client = restClient(switchboard.url, switchboard.keys.full, transcript);
  const toLocalUrl = (url: string) => url.replace(publicUrl, switchboard.url);

  /**
   * The host name of the public URL does not resolve here, so the callback is sent to the local server
   * instead.
   */
  const toHostedUrl = (url: string) => (publicUrl === switchboard.url ? url : `${toLocalUrl(url)}?moved=1`);

  async function consent(more: Readonly<Record<string, string>> = {}, connectMethod = 'oauth') {
    const started = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
    const browser = openBrowser();
    const redirectPage = await submitConnectForm(browser, toHostedUrl(asText(started['url'])), connectMethod);
    const consentPage = await browser.get(getLocation(redirectPage));
    const form = findForm(consentPage, ({ fields }) => fields['state'] !== undefined);
    const submitted = await browser.post(form.action, { ...form.fields, decision: 'approve', ...more });
    const last = await browser.get(toLocalUrl(getLocation(submitted)));
    const session = await client.expect(200, 'GET', `/connect/sessions/${asText(started['id'])}`);
    return { session, last, browser };
  }

  return {
    switchboard,
    client,
    transcript,
    completeConsent: consent,
    async connect() {
      const { session, last } = await consent();
      if (session['status'] !== 'connected') throw new Error(`${JSON.stringify(session)}\n${last.text}`);
      const [id = ''] = session['connection_ids'] as string[];
      return id;
    },
    async connectSeveral(many, more, connectMethod) {
      const { session, last, browser } = await consent(more, connectMethod);
      const choicePage = last.headers.has('location')
        ? await browser.get(toHostedUrl(getLocation(last)))
        : last;
      const form = findForm(
        choicePage,
        ({ fields }) => fields['choice'] !== undefined && fields['decision'] === undefined,
      );
      const selection = Object.fromEntries(Array.from({ length: many }, (_, at) => [`account_${at}`, '1']));
      await browser.post(form.action, { ...form.fields, ...selection });
      const finishedSession = await client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
      return { offered: choicePage.text, ids: finishedSession['connection_ids'] as string[] };
    },
    async publishPost(body) {
      const created = await client.expect(201, 'POST', '/social/posts', { body });
      return eventually('the post has settled', async () => {
        const now = await client.expect(200, 'GET', `/social/posts/${asText(created['id'])}`);
        return now['status'] === 'publishing' || now['status'] === 'scheduled' ? null : now;
      });
    },
    injectFaultOnce: (kind, path) =>
      server.faults.add({ kind, match: { method: 'POST', path_prefix: path } }),
    async close() {
      await switchboard.stop();
      await server.close();
    },
  };
}

/** The external IDs of the parts of a post's only delivery. */
export const listPartIds = (published: JsonObject): readonly string[] => {
  const [delivery] = asObjects(published['deliveries']);
  return asObjects(delivery?.['parts']).map((part) => asText(part['external_id']));
};
