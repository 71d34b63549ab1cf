import { recipientSetter } from '../approvals/decision-link.js';
import { keyOf, type Call } from '../call.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { changesNothing, isStale, preconditionFailed, versionOf } from '../version.js';
import type { EndpointFailure } from './check-endpoint.js';
import { findProfiles, personalDataRefused, type CreateWebhook } from './create-webhook.js';
import { getWebhook } from './get-webhook.js';
import type { Webhook } from './webhook.js';

export type UpdateWebhook = { readonly id: string } & {
  readonly [Field in keyof CreateWebhook]?: CreateWebhook[Field] | undefined;
};

type UpdateWebhookFailure =
  | EndpointFailure
  | 'key.policy_exceeded'
  | 'profile.not_found'
  | 'webhook.not_found'
  | 'request.precondition_failed';

/**
 * Changes an endpoint. A new URL must respond to the challenge. An endpoint that is disabled receives nothing;
 * enabled again, it receives the events from then on.
 */
export async function updateWebhook(
  ports: Pick<AtomicPorts, 'webhooks' | 'events' | 'profiles'>,
  call: Call,
  { id, disabled, profileIds, events, url, description, hidePersonalData }: UpdateWebhook,
): Promise<Result<Webhook, UpdateWebhookFailure>> {
  const found = await getWebhook(ports, call, { id });
  if (!found.ok) return found;
  const before = found.value;
  if (keyOf(call).policy.hidePersonalData && !(hidePersonalData ?? before.hidePersonalData))
    return personalDataRefused();
  const profiles = profileIds === undefined ? ok(undefined) : await findProfiles(ports, call, profileIds);
  if (!profiles.ok) return profiles;
  // The key that sets the URL answers for its receiver. Earlier versions did not record it.
  const setsUrl = url !== undefined && (url !== before.url || before.urlSetBy === null);
  const changes = {
    url,
    urlSetBy: setsUrl ? recipientSetter(call) : undefined,
    description,
    hidePersonalData,
    events: events && [...new Set(events)],
    profileIds: profiles.value,
    disabledReason: disabledReason(before, disabled),
  };
  if (isStale(call, before)) return preconditionFailed('webhook', nextCall.getWebhook(before.id));
  if (changesNothing(before, changes)) return ok(before);
  if (url !== undefined && url !== before.url) {
    const checked = call.endpointCheck?.url;
    if (checked?.text !== url) throw new Error('the new URL of a webhook was not checked');
    if (!checked.result.ok) return checked.result;
  }
  const isEnabled = before.disabledReason !== null && changes.disabledReason === null;
  const after = await ports.webhooks.update(call.workspaceId, before.id, changes, {
    version: versionOf(call),
    ...(isEnabled && { position: await ports.events.findEnd() }),
  });
  if (!after) return preconditionFailed('webhook', nextCall.getWebhook(before.id));
  if (before.disabledReason === null && after.disabledReason !== null)
    await ports.webhooks.failPending(call.workspaceId, before.id);
  return ok(after);
}

/** Disabling an endpoint that this service disabled keeps its reason. */
function disabledReason(
  before: Webhook,
  disabled: boolean | undefined,
): Webhook['disabledReason'] | undefined {
  if (disabled === undefined) return undefined;
  return disabled ? (before.disabledReason ?? 'requested') : null;
}
