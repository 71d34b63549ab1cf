import { type FaultSpec } from '@switchboard/sandbox';
import { startMastodon } from '@switchboard/simulators';
import { connectAccount } from '../support/sandbox-store.js';
import { connectMastodon } from '../support/connect-mastodon.js';
import { asObjects, asText } from '../support/json.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import { sandboxControl } from '../support/sandbox-control.js';
import type { Env } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { openChaosDatabase, type ChaosDatabase } from './database.js';
import { createKeyTree, type KeyTree } from './key-tree.js';
import type { PlatformEffect } from './invariants.js';
import { LISTING_ACCOUNTS, type ChaosAccount, type PostFault } from './plan.js';

/** A service that only accepts posts, the simulated platforms, and a database that can be crashed. */
export interface ChaosInstallation {
  /** With a key outside the key tree. */
  readonly client: RestClient;
  /** With the current key of a lineage of the tree. */
  clientOf(member: number): RestClient;
  readonly tree: KeyTree;
  readonly database: ChaosDatabase;
  readonly workerEnv: Env;
  readonly profile: string;
  /** By the simulator's account ID. */
  readonly connections: ReadonlyMap<string, string>;
  injectFault(account: ChaosAccount, fault: PostFault): Promise<void>;
  injectSandboxFault(fault: FaultSpec): Promise<void>;
  /** All posts that exist at the platforms. `nameOf` maps a post to its name. */
  listEffects(nameOf: {
    byDelivery(id: string): string;
    byText(text: string): string;
  }): Promise<readonly PlatformEffect[]>;
  logs(): string;
  close(): Promise<void>;
}

export async function startChaosInstallation(
  stateDir: string,
  accounts: readonly ChaosAccount[],
): Promise<ChaosInstallation> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const database = await openChaosDatabase(stateDir, 'chaos');
    closing.push(() => database.close());
    const mastodon = await startMastodon({
      accounts: LISTING_ACCOUNTS.map(({ id, username }) => ({ id, username, name: username, followers: 1 })),
    });
    closing.push(() => mastodon.close());
    const switchboard = await startSwitchboard({
      name: 'chaos',
      databaseUrl: database.url,
      env: {
        SWITCHBOARD_ROLES: 'http',
        SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(mastodon.url).host,
        LOG_LEVEL: 'warn',
      },
    });
    closing.push(() => switchboard.stop());
    const client = restClient(switchboard.url, switchboard.keys.full);
    const sandbox = sandboxControl(switchboard.sandboxUrl);
    const { data } = await client.expect(200, 'GET', '/profiles');
    const connections = new Map<string, string>();
    for (const { id, platform } of accounts) {
      const connected =
        platform === 'mastodon'
          ? connectMastodon(client, mastodon.url, id)
          : connectAccount(client, platform, id);
      connections.set(id, await connected);
    }
    const createClient = (token: string) => restClient(switchboard.url, token);
    const tree = await createKeyTree(client, createClient, ['posts:read', 'posts:write']);
    return {
      client,
      tree,
      database,
      connections,
      close,
      clientOf: (member) => createClient(tree.tokenOf(member)),
      workerEnv: switchboard.env,
      profile: asText(asObjects(data)[0]?.['id']),
      async injectFault(account, fault) {
        if (account.platform === 'mastodon') mastodon.faults.add(fault);
        else await sandbox.fault(fault);
      },
      injectSandboxFault: async (fault) => void (await sandbox.fault(fault)),
      async listEffects({ byDelivery, byText }) {
        const createdPosts = await sandbox.ledger('post.created');
        return [
          ...createdPosts.map(({ id, reference }) => ({
            externalId: id,
            name: byDelivery(reference?.split('.')[0] ?? 'without a reference'),
          })),
          ...LISTING_ACCOUNTS.flatMap((account) =>
            mastodon.statuses.list(({ accountId }) => accountId === account.id),
          ).map((status) => ({
            externalId: status.id,
            name: byText(status.text),
          })),
        ];
      },
      logs: () => switchboard.logs(),
    };
  } catch (error) {
    await close();
    throw error;
  }
}
