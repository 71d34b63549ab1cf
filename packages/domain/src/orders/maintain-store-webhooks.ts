import { WORKER } from '../call.js';
import { catchAdapterErrors } from '../catch-adapter-errors.js';
import type { Connection } from '../connections/connection.js';
import { isTransient } from '../failure.js';
import { mapSettled } from '../map-settled.js';
import type { OrderWebhooks, Ports, Session } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { Secret } from '../secret.js';
import { offersStoreWebhooks } from './offers-store-webhooks.js';
import { backoffMs } from './order-watch.js';
import { storeWebhookBinding, storeWebhookUrl, type StoreWebhook } from './store-webhook.js';

type MaintainPorts = Pick<
  Ports,
  | 'clock'
  | 'connections'
  | 'platforms'
  | 'manifests'
  | 'sessions'
  | 'settings'
  | 'storeWebhooks'
  | 'tokens'
  | 'transactions'
  | 'vault'
>;

const STORES_MAX = 10;
/** A few requests. */
const LEASE_SECONDS = 120;
/** How often what is registered is compared: stores disable webhooks, and app secrets are replaced. */
const RENEW_MS = 86_400_000;
const MISSING_MAX = 100;

/** Adds webhooks for the watched stores that have none, such as after the public URL was set. */
export async function addMissingStoreWebhooks(
  { manifests, settings, storeWebhooks, tokens, transactions }: MaintainPorts,
  stop: AbortSignal,
): Promise<void> {
  const connectMethods = manifests
    .list()
    .flatMap(({ id: platform, connect }) =>
      connect
        .filter(({ id: connectMethod }) =>
          offersStoreWebhooks({ manifests, settings }, { platform, connectMethod }),
        )
        .map(({ id }) => `${platform} ${id}`),
    );
  while (!stop.aborted && connectMethods.length > 0) {
    const missing = await storeWebhooks.listMissing(connectMethods, MISSING_MAX);
    for (const key of missing)
      await transactions.run(async (tx) => {
        if (await tx.orderWatches.find(key.workspaceId, key.connectionId))
          await tx.storeWebhooks.wake(key, { address: tokens.random() });
        return ok();
      });
    if (missing.length < MISSING_MAX) return;
  }
}

/** Registers and removes the webhooks that are due, until none is. The failure of one does not affect the others. */
export async function maintainStoreWebhooks(
  ports: MaintainPorts,
  stop: AbortSignal,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!stop.aborted) {
    const claimed = await ports.transactions.run(async (tx) =>
      ok(await tx.storeWebhooks.claimDue(STORES_MAX, LEASE_SECONDS)),
    );
    const due = claimed.ok ? claimed.value : [];
    if (due.length === 0) return;
    await mapSettled(due, stop, (webhook) => maintain(ports, webhook, stop), STORES_MAX).catch(onError);
  }
}

async function maintain(ports: MaintainPorts, webhook: StoreWebhook, stop: AbortSignal): Promise<void> {
  const connection = await ports.connections.find(webhook.workspaceId, webhook.connectionId);
  const webhooks = connection && ports.platforms.find(connection.platform)?.orders?.webhooks;
  if (!webhooks) return remove(ports, webhook);
  const session = await ports.sessions.open(connection, { purpose: 'orders', actor: WORKER }, stop);
  if (!session.ok) return postpone(ports, webhook, session);
  if (connection.watchOrders && offersStoreWebhooks(ports, connection))
    return register(ports, webhook, connection, { webhooks, session: session.value });
  const removed = await catchAdapterErrors(() => webhooks.remove(session.value, targetOf(ports, webhook)));
  return removed.ok ? remove(ports, webhook) : postpone(ports, webhook, removed);
}

async function register(
  ports: MaintainPorts,
  before: StoreWebhook,
  connection: Connection,
  { webhooks, session }: { readonly webhooks: OrderWebhooks; readonly session: Session },
): Promise<void> {
  const { workspaceId, connectionId } = before;
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) return postpone(ports, before, vault);
  const opened =
    before.sealedSecret &&
    vault.value.open(storeWebhookBinding(connectionId, before.generation), before.sealedSecret);
  const known = opened?.ok ? opened.value : null;
  const withSecret = (webhook: StoreWebhook, secret: Secret | null): StoreWebhook => {
    if (!secret || secret.reveal() === known?.reveal()) return webhook;
    const generation = before.generation + 1;
    const sealedSecret = vault.value.seal(storeWebhookBinding(connectionId, generation), secret);
    return { ...webhook, generation, sealedSecret };
  };
  const secret = await secretOf(ports, connection, webhooks, known);
  if (!secret.ok) return postpone(ports, before, secret);
  // Before the store uses it: a response may be lost.
  const webhook = withSecret(before, secret.value);
  const leaseEnd = ports.clock.after(LEASE_SECONDS * 1000);
  if (webhook !== before && !(await settle(ports, webhook, leaseEnd))) return;
  const registered = await catchAdapterErrors(() =>
    webhooks.register(session, { ...targetOf(ports, webhook), secret: secret.value }),
  );
  if (!registered.ok) return postpone(ports, webhook, registered);
  const { externalIds, secret: issued = null } = registered.value;
  const renewed = withSecret({ ...webhook, externalIds, failures: 0 }, issued);
  await settle(ports, renewed, ports.clock.after(RENEW_MS));
}

/** The secret with which the store is to sign; null where the store issues it. */
async function secretOf(
  { sessions, tokens }: MaintainPorts,
  connection: Connection,
  { secret }: OrderWebhooks,
  known: Secret | null,
): Promise<Result<Secret | null>> {
  switch (secret) {
    case 'chosen':
      return ok(known ?? new Secret(tokens.random()));
    case 'issued':
      return ok(known);
    case 'app':
      return sessions.findAppSecret(connection);
  }
}

const targetOf = ({ settings }: MaintainPorts, { address, externalIds }: StoreWebhook) => ({
  url: storeWebhookUrl(settings.publicUrl, address),
  externalIds,
});

async function settle(ports: MaintainPorts, webhook: StoreWebhook, at: Date): Promise<boolean> {
  const settled = await ports.transactions.run(async (tx) => ok(await tx.storeWebhooks.settle(webhook, at)));
  return settled.ok && settled.value;
}

async function remove(ports: MaintainPorts, webhook: StoreWebhook): Promise<void> {
  await ports.transactions.run(async (tx) => ok(await tx.storeWebhooks.delete(webhook)));
}

/**
 * Not reported: polls read what webhooks would name. After a failure that does not end soon, such as a missing
 * permission, it is tried again with the next renewal.
 */
async function postpone(
  ports: MaintainPorts,
  webhook: StoreWebhook,
  { failure }: Extract<Result<never>, { ok: false }>,
): Promise<void> {
  const failures = webhook.failures + 1;
  const endsSoon = isTransient(failure) || failure.code === 'connection.needs_reauth';
  const delayMs = endsSoon ? backoffMs(failures, failure.retryAfterSeconds) : RENEW_MS;
  await settle(ports, { ...webhook, failures }, ports.clock.after(delayMs));
}
