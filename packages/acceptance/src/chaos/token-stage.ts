import type { ConnectionId } from '@switchboard/domain';
import pg from 'pg';
import { openBrowser } from '../support/browser.js';
import { beginAt, locationOf } from '../support/connect-sandbox.js';
import { endAccess } from '../support/end-access.js';
import { text } from '../support/json.js';
import { consentAtOidc } from '../support/oidc-consent.js';
import { startOidcServer, type OidcServer } from '../support/oidc-server.js';
import { openOperator, type Operator } from '../support/operator.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import {
  startSwitchboard,
  type Env,
  type Switchboard,
  type SwitchboardOptions,
} from '../support/switchboard.js';

const ACCOUNT = 'maren-holt';

/** One account at an authorization server that rotates strictly, on a service that renews nothing by itself. */
export interface TokenStage {
  readonly oidc: OidcServer;
  readonly switchboard: Switchboard;
  readonly client: RestClient;
  readonly operator: Operator;
  readonly connectionId: ConnectionId;
  /** What a further process needs. */
  readonly env: Env;
  rows<Row extends object>(sql: string): Promise<readonly Row[]>;
  /** Connects the account, or the same one again. */
  connect(): Promise<ConnectionId>;
  /** As though an hour had passed: the access token has ended. */
  end(): Promise<void>;
  /** Uses the connection once, in this process; the failure's code where it cannot be used. */
  use(): Promise<string>;
  /** Tries to renew it ahead of its time, as a worker would. */
  renew(): Promise<string>;
  generation(): Promise<number>;
  readonly refreshes: () => { readonly made: number; readonly refused: number };
  close(): Promise<void>;
}

export async function startTokenStage({
  name,
  databaseUrl,
}: Pick<SwitchboardOptions, 'name' | 'databaseUrl'>): Promise<TokenStage> {
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
      const leaving = await beginAt(browser, text(session['url']), 'oauth');
      const callback = await consentAtOidc(browser, locationOf(leaving), {
        account: ACCOUNT,
        decision: 'approve',
      });
      await browser.get(callback);
      const ended = await client.expect(200, 'GET', `/connect/sessions/${text(session['id'])}`);
      const [id] = ended['connection_ids'] as ConnectionId[];
      if (id === undefined) throw new Error(`nothing was connected: ${JSON.stringify(ended)}`);
      return id;
    };
    const connectionId = await connect();
    const found = async () => {
      const connection = await ports.connections.find(operator.workspaceId, connectionId);
      if (!connection) throw new Error('the connection is gone');
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
      generation,
      close,
      env: switchboard.env,
      rows: async <Row extends object>(sql: string) => (await pool.query<Row>(sql)).rows,
      end: () => endAccess(operator, connectionId),
      async use() {
        const use = { purpose: 'check', actor: 'system:test' } as const;
        const opened = await ports.sessions.open(await found(), use, new AbortController().signal);
        if (!opened.ok) return opened.failure.code;
        const request = { method: 'GET', path: '/social/api/me', effect: 'read' } as const;
        const answer = await opened.value.request(request);
        return answer.ok ? 'ok' : answer.failure.code;
      },
      async renew() {
        const renewed = await ports.sessions.renew(await found(), await generation());
        return renewed.ok ? 'ok' : renewed.failure.code;
      },
      refreshes() {
        const calls = oidc.tokenCalls('refresh_token');
        return { made: calls.length, refused: calls.filter(({ error }) => error !== null).length };
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
