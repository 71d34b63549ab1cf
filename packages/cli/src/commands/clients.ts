import type { Call } from '@switchboard/domain';
import { getKey, type ApiKey } from '@switchboard/domain/access';
import { createInvitation, revokeClient, type AuthorizedClient } from '@switchboard/domain/clients';
import type { Ports } from '@switchboard/domain/ports';
import { presentClient, presentInvitation } from '@switchboard/operations';
import type { Command } from 'commander';
import { commandOutput, usageError } from '../command-result.js';
import { withWorkspace } from '../find-workspace.js';
import { withKeyOptions, type KeyOptions } from '../key-options.js';
import { runAtomically } from '../operator.js';
import { readName, readWithin } from '../options.js';
import { printNotice } from '../print-notice.js';
import { table } from '../table.js';
import { toAction } from '../to-action.js';
import { allKeys, readNewKey } from './keys.js';

interface InviteOptions extends KeyOptions {
  readonly name?: string;
  readonly expiresInMinutes: number;
  readonly maxClients: number;
  readonly workspace?: string;
}

export const keysInvite = (keys: Command) =>
  withKeyOptions(
    keys
      .command('invite')
      .description('invite a person to connect an MCP client such as claude.ai or ChatGPT')
      .argument('[id]', 'the key; without it, a key is created from --name and the other options')
      .option('--name <name>', 'name of the new key', readName)
      .option('--expires-in-minutes <minutes>', 'how long the code is valid', readWithin(5, 10_080), 60)
      .option('--max-clients <count>', 'how many clients the code connects', readWithin(1, 100), 1),
  )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(toAction(invite));

async function invite(id: string | undefined, options: InviteOptions) {
  const { name, expiresInMinutes, maxClients, workspace: workspaceRef } = options;
  if ((id === undefined) === (name === undefined))
    return usageError('Name an existing key by its id, or a new one with --name and --preset or --scopes.');
  const newKey = name === undefined ? null : readNewKey({ ...options, name });
  if (newKey && !newKey.ok) return newKey;
  return withWorkspace(workspaceRef, async (context, workspace, call) => {
    const created = newKey && (await newKey.value(context, workspace.id, call));
    if (created && !created.ok) return created;
    const keyId = created ? created.value.key.id : (id ?? '');
    const invited = await runAtomically(context, call, 'createInvitation', (ports) =>
      createInvitation(ports, call, { id: keyId, expiresInMinutes, maxClients }),
    );
    if (!invited.ok) return invited;
    const { key, code } = invited.value;
    const { mcpUrl } = context.service.ports.settings;
    printNotice(
      `Invitation to ${key.name} (${key.id}), valid for ${expiresInMinutes} minutes. In the client, add a connector with the URL ${mcpUrl}; the page that opens asks for this code, which is shown only once:`,
    );
    return commandOutput(presentInvitation(invited.value, mcpUrl), code.reveal());
  });
}

interface ClientsOptions {
  readonly revoke?: string;
  readonly workspace?: string;
}

export const keysClients = (keys: Command) =>
  keys
    .command('clients')
    .description('list the MCP clients that people connected, newest first, or end the access of one')
    .argument('[id]', 'the key; default: all keys of the workspace')
    .option('--revoke <client>', 'end the access of this client, by its id')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(toAction(clients));

interface ConnectedClient {
  readonly key: ApiKey;
  readonly client: AuthorizedClient;
}

async function clients(id: string | undefined, { revoke, workspace: workspaceRef }: ClientsOptions) {
  return withWorkspace(workspaceRef, async (context, workspace, call) => {
    const { ports } = context.service;
    const named = id === undefined ? null : await getKey(ports, call, { id });
    if (named && !named.ok) return named;
    const all = named ? [named.value] : await allKeys(ports, workspace.id);
    const connected = await listConnected(ports, call, all);
    if (revoke !== undefined) {
      const owner = connected.find(({ client }) => client.id === revoke);
      const revoked = await runAtomically(context, call, 'revokeClient', (atomicPorts) =>
        revokeClient(atomicPorts, call, { id: owner?.key.id ?? all[0]?.id ?? '', clientId: revoke }),
      );
      if (!revoked.ok) return revoked;
      const { name, host } = revoked.value;
      return commandOutput(presentClient(revoked.value), `Ended the access of ${name} (${host}).`);
    }
    const rows = connected.map(({ key, client }) => [
      client.id,
      client.name,
      client.host,
      stateOf(client),
      client.lastUsedAt?.toISOString() ?? 'never used',
      key.name,
      client.scopes.join(','),
    ]);
    return commandOutput(
      { data: connected.map(({ key, client }) => ({ ...presentClient(client), key_id: key.id })) },
      table(['id', 'name', 'host', 'state', 'last used', 'key', 'scopes'], rows, 'No clients.'),
    );
  });
}

/** Each lineage once, with its newest key. */
async function listConnected(
  { clients: stored }: Pick<Ports, 'clients'>,
  { workspaceId }: Call,
  keys: readonly ApiKey[],
): Promise<readonly ConnectedClient[]> {
  const byLineage = new Map<string, ApiKey>();
  for (const key of keys) if (!byLineage.has(key.lineage)) byLineage.set(key.lineage, key);
  const connected: ConnectedClient[] = [];
  for (const [lineage, key] of byLineage) {
    for (let after: string | undefined; ;) {
      const { items, next } = await stored.list(workspaceId, lineage, { limit: 100, after });
      connected.push(...items.map((client) => ({ key, client })));
      if (next === undefined) break;
      after = next;
    }
  }
  return connected.sort((one, other) => (one.client.id < other.client.id ? 1 : -1));
}

const stateOf = ({ revokedAt, endReason }: AuthorizedClient): string =>
  revokedAt === null ? 'connected' : `${endReason}, ${revokedAt.toISOString().slice(0, 10)}`;
