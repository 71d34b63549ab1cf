import type { ConnectionId } from '@switchboard/domain';
import pg from 'pg';
import { openBrowser } from '../support/browser.js';
import { submitConnectForm, getLocation } from '../support/connect-sandbox.js';
import { expireAccess } from '../support/expire-access.js';
import { asText } from '../support/json.js';
import { consentAtOidc } from '../support/oidc-consent.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';
import { openOperator, type Operator } from '../support/operator.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import type { Env, Switchboard, SwitchboardOptions } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';

const ACCOUNT = 'maren-holt';

/**
 * One account at an authorization server with strict refresh token rotation, on a service that refreshes
 * nothing in the background.
 */
export interface TokenChaosEnvironment {
  readonly oidc: OidcServer;
  readonly switchboard: Switchboard;
  readonly client: RestClient;
  readonly operator: Operator;
  readonly connectionId: ConnectionId;
  /** The environment for another process. */
  readonly env: Env;
  rows<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** Connects the account, or reconnects it. */
  connect(): Promise<ConnectionId>;
  /** Simulates the expiry of the access token. */
  expireAccess(): Promise<void>;
  /** Uses the connection once in this process; returns the error code when the connection is unusable. */
  useConnection(): Promise<string>;
  /** Refreshes the token before its expiry, as a worker does. */
  renewConnection(): Promise<string>;
  readGeneration(): Promise<number>;
  readonly countRefreshes: () => { readonly made: number; readonly refused: number };
  close(): Promise<void>;
}

export async function startTokenChaosEnvironment({
  name,
  databaseUrl,
}: Pick<SwitchboardOptions, 'name' | 'databaseUrl'>): Promise<TokenChaosEnvironment> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const ending of closing.splice(0).reverse()) await ending();
  };
  try {
    const oidc = await startOidcServer();
    closing.push(() => oidc.close());
    const more = { SWITCHBOARD_ROLES: 'http', SWITCHBOARD_RATE_LIMIT: '1000000', LOG_LEVEL: 'warn' };
    const switchboard = await startSwitchboard({ name, databaseUrl, env: { ...oidc.env, ...more } });
    closing.push(() => switchboard.stop());
    const operator = await openOperator(switchboard);
    closing.push(() => operator.close());
    const pool = new pg.Pool({ connectionString: switchboard.databaseUrl, max: 2 });
    closing.push(() => pool.end());
    const client = restClient(switchboard.url, switchboard.keys.full);
    const { ports } = operator.service;

    const connect = async () => {
      const session = await client.expect(201, 'POST', '/connect/url', {
        body: { platform: 'sandbox_social' },
      });
      const browser = openBrowser();
      const redirectPage = await submitConnectForm(browser, asText(session['url']), 'oauth');
      const callback = await consentAtOidc(browser, getLocation(redirectPage), {
        account: ACCOUNT,
        decision: 'approve',
      });
      await browser.get(callback);
      const finishedSession = await client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
      const [id] = finishedSession['connection_ids'] as ConnectionId[];
      if (id === undefined) throw new Error(`nothing was connected: ${JSON.stringify(finishedSession)}`);
      return id;
    };
    const connectionId = await connect();
    const findConnection = async () => {
      const connection = await ports.connections.find(operator.workspaceId, connectionId);
      if (!connection) throw new Error('the connection is missing');
      return connection;
    };
    const generation = async () => {
      const credential = await ports.credentials.find(operator.workspaceId, connectionId);
      return credential?.generation ?? 0;
    };
    return {
      oidc,
      switchboard,
      client,
      operator,
      connectionId,
      connect,
      readGeneration: generation,
      close,
      env: switchboard.env,
      rows: async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows,
      expireAccess: () => expireAccess(operator, connectionId),
      async useConnection() {
        const use = { purpose: 'check', actor: 'system:test' } as const;
        const opened = await ports.sessions.open(await findConnection(), use, new AbortController().signal);
        if (!opened.ok) return opened.failure.code;
        const request = { method: 'GET', path: '/social/api/me', effect: 'read' } as const;
        const answer = await opened.value.request(request);
        return answer.ok ? 'ok' : answer.failure.code;
      },
      async renewConnection() {
        const renewed = await ports.sessions.renew(await findConnection(), await generation());
        return renewed.ok ? 'ok' : renewed.failure.code;
      },
      countRefreshes() {
        const calls = oidc.tokenCalls('refresh_token');
        return { made: calls.length, refused: calls.filter(({ error }) => error !== null).length };
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
