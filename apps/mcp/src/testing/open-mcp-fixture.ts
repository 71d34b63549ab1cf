import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { createKeyAsOperator, startService, type Service } from '@switchboard/bootstrap';
import type { Scope } from '@switchboard/domain/access';
import type { Profile } from '@switchboard/domain/profiles';
import type { Workspace } from '@switchboard/domain/workspaces';
import { builders, type Builders } from '@switchboard/domain/testing';
import { testDatabase } from '@switchboard/persistence/testing';
import type { Caller } from '../protocol/dispatch-for-caller.js';
import type { ToolFilter } from '../tools/tool-filter.js';
import { createMcpServer } from '../protocol/server.js';

export const address = '127.0.0.1';
export const defaultToolFilter: ToolFilter = {
  toolsets: ['social', 'commerce', 'connections'],
  readOnly: false,
};
export const unrestrictedToolFilter: ToolFilter = {
  toolsets: [...defaultToolFilter.toolsets, 'admin'],
  readOnly: false,
};

export interface McpFixture {
  readonly service: Service;
  /** The environment for further processes of this service. */
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly build: Builders;
  /** The `Authorization` value of a new key. */
  keyWith(scopes: readonly Scope[]): Promise<string>;
  client(scopes: readonly Scope[], toolFilter?: ToolFilter): Promise<Client>;
  connect(caller: Caller, overService?: Service): Promise<Client>;
  close(): Promise<void>;
}

export async function openMcpFixture(
  database: string,
  extraEnv: Readonly<Record<string, string>> = {},
): Promise<McpFixture> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'switchboard-mcp-'));
  const env = {
    NODE_ENV: 'test',
    DATABASE_URL: await testDatabase(database),
    SWITCHBOARD_DATA_DIR: dataDir,
    LOG_LEVEL: 'silent',
    ...extraEnv,
  };
  const service = await startService({ app: 'mcp-http', logTo: 'stderr', env });
  const [workspace] = await service.ports.workspaces.list();
  if (!workspace) throw new Error('a first start creates a workspace');
  const { items } = await service.ports.profiles.list(workspace.id, { reach: null }, { limit: 1 });
  const [profile] = items;
  if (!profile) throw new Error('a workspace has a profile');

  const fixture: McpFixture = {
    service,
    env,
    workspace,
    profile,
    build: builders(service.ports),
    async keyWith(scopes) {
      const newKey = { workspaceId: workspace.id, name: 'test', scopes };
      const created = await createKeyAsOperator(service.ports, newKey);
      if (!created.ok) throw new Error(created.failure.message);
      return `Bearer ${created.value.token.reveal()}`;
    },
    client: async (scopes, toolFilter = defaultToolFilter) =>
      fixture.connect({ authorization: await fixture.keyWith(scopes), address, toolFilter }),
    async connect(caller, overService = service) {
      const [ours, theirs] = InMemoryTransport.createLinkedPair();
      await createMcpServer(overService, caller).connect(ours);
      const client = new Client({ name: 'test', version: '1' });
      await client.connect(theirs);
      return client;
    },
    async close() {
      await service.close();
      await rm(dataDir, { recursive: true });
    },
  };
  return fixture;
}
