import { recipientSetter } from '../approvals/decision-link.js';
import { keyOf, type Call } from '../call.js';
import type { EventTypePattern } from '../events/event.js';
import { notFound, refuse } from '../failure.js';
import { parseId, type ProfileId } from '../ids.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { EndpointFailure } from './check-endpoint.js';
import { formatWebhookSecret, webhookSecretBinding, type Webhook } from './webhook.js';

/** The most endpoints of a workspace. */
export const WEBHOOKS_MAX = 100;

export interface CreateWebhook {
  readonly url: string;
  readonly events: readonly EventTypePattern[];
  readonly profileIds?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  /** The default is that of the key's own policy. */
  readonly hidePersonalData?: boolean | undefined;
  readonly disabled?: boolean | undefined;
}

export interface CreatedWebhook {
  readonly webhook: Webhook;
  /** Returned once; stored sealed. */
  readonly secret: Secret;
}

type CreateWebhookFailure =
  | EndpointFailure
  | 'key.policy_exceeded'
  | 'profile.not_found'
  | 'webhook.limit_reached';

/** Creates an endpoint that responded to the challenge. It receives the events from now on. */
export async function createWebhook(
  ports: Pick<AtomicPorts, 'webhooks' | 'events' | 'profiles' | 'tokens' | 'ids' | 'clock'>,
  call: Call,
  { url, events, profileIds, description = null, hidePersonalData, disabled = false }: CreateWebhook,
): Promise<Result<CreatedWebhook, CreateWebhookFailure>> {
  const { workspaceId, endpointCheck } = call;
  const hides = keyOf(call).policy.hidePersonalData;
  if (hides && hidePersonalData === false) return personalDataRefused();
  const profiles = await findProfiles(ports, call, profileIds ?? null);
  if (!profiles.ok) return profiles;
  if ((await ports.webhooks.count(workspaceId)) >= WEBHOOKS_MAX)
    return refuse('webhook.limit_reached', `A workspace has at most ${WEBHOOKS_MAX} webhooks.`, {
      next: nextCall.listWebhooks(),
    });
  if (!endpointCheck?.url) throw new Error('the endpoint of a new webhook was not checked');
  if (!endpointCheck.url.result.ok) return endpointCheck.url.result;
  if (!endpointCheck.vault.ok) return endpointCheck.vault;
  const now = ports.clock.now();
  const webhook: Webhook = {
    id: ports.ids.next('whk'),
    workspaceId,
    url,
    urlSetBy: recipientSetter(call),
    events: [...new Set(events)],
    profileIds: profiles.value,
    description,
    hidePersonalData: hidePersonalData ?? hides,
    disabledReason: disabled ? 'requested' : null,
    disabledAt: disabled ? now : null,
    failingSince: null,
    createdAt: now,
    version: 1,
  };
  const secret = formatWebhookSecret(ports.tokens.random());
  const sealed = endpointCheck.vault.value.seal(webhookSecretBinding(webhook.id, 1), secret);
  await ports.webhooks.insert(webhook, { generation: 1, sealed }, await ports.events.findEnd());
  return ok({ webhook, secret });
}

export const personalDataRefused = () =>
  refuse('key.policy_exceeded', 'This key hides personal data, and so must every webhook that it changes.');

export async function findProfiles(
  { profiles }: Pick<AtomicPorts, 'profiles'>,
  { workspaceId }: Call,
  texts: readonly string[] | null,
): Promise<Result<readonly ProfileId[] | null, 'profile.not_found'>> {
  if (texts === null) return ok(null);
  const found: ProfileId[] = [];
  for (const text of new Set(texts)) {
    const id = parseId('prf', text);
    const profile = id && (await profiles.find(workspaceId, id));
    if (!profile) return notFound('profile');
    found.push(profile.id);
  }
  return ok(found);
}
