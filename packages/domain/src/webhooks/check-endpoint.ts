import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import { parseId } from '../ids.js';
import type { Ports, UnlockedVault, WebhookResponse } from '../ports/index.js';
import { ok, type Result } from '../result.js';

export type EndpointFailure =
  | 'webhook.url_refused'
  | 'webhook.challenge_failed'
  | 'vault.unavailable'
  | 'vault.unreadable';

/** What was read from the network for a change of an endpoint, before its transaction. */
export interface EndpointCheck {
  readonly vault: Result<UnlockedVault, 'vault.unavailable' | 'vault.unreadable'>;
  /** Whether the endpoint accepts events; null when its URL does not change. */
  readonly url: { readonly text: string; readonly result: Result<undefined, EndpointFailure> } | null;
}

type CheckPorts = Pick<Ports, 'vault' | 'webhookClient' | 'webhooks' | 'tokens' | 'clock' | 'ids'>;

/**
 * The call with the workspace's vault, and with what the URL of the command responds to a challenge: its owner
 * agrees to receive events. An unchanged URL is not challenged again.
 */
export async function withEndpointCheck(
  ports: CheckPorts,
  call: Call,
  { id, url }: { readonly id?: string | undefined; readonly url?: string | undefined },
): Promise<Call> {
  const vault = await ports.vault.unlock(call.workspaceId);
  const endpointId = id === undefined ? null : parseId('whk', id);
  const existing = endpointId && (await ports.webhooks.find(call.workspaceId, endpointId));
  const isChecked = url !== undefined && url !== existing?.url && (id === undefined || existing !== null);
  const checked = isChecked ? { text: url, result: await challenge(ports, call, url) } : null;
  return { ...call, endpointCheck: { vault, url: checked } };
}

async function challenge(
  ports: CheckPorts,
  { signal }: Call,
  url: string,
): Promise<Result<undefined, EndpointFailure>> {
  const problem = await ports.webhookClient.checkUrl(url);
  if (problem !== null) return urlRefused(problem === 'dns');
  const text = ports.tokens.random();
  const response = await ports.webhookClient.send({
    url,
    pool: ports.ids.next('whk'),
    id: ports.ids.next('evt'),
    timestamp: ports.clock.now(),
    body: JSON.stringify({ type: 'webhook.challenge', challenge: text }),
    // The caller learns the secret only when the endpoint exists.
    secrets: [],
    traceparent: null,
    signal,
  });
  if (response.kind === 'failed' && response.error === 'address_refused') return urlRefused(false);
  return repeatsChallenge(response, text) ? ok() : challengeFailed(response);
}

/** As the whole body, or as `challenge` of a JSON object; base64url needs no escape. */
function repeatsChallenge(response: WebhookResponse, text: string): boolean {
  if (response.kind !== 'answered' || response.status < 200 || response.status > 299) return false;
  const body = response.head.trim().replaceAll('&quot;', '"');
  return body === text || body.replaceAll(/\s/g, '').includes(`"challenge":"${text}"`);
}

const urlRefused = (isUnresolved: boolean) =>
  refuse(
    'webhook.url_refused',
    isUnresolved
      ? 'The host of the URL cannot be resolved.'
      : 'The URL must begin with https:// and lead to an address on the public internet.',
    { problems: [{ path: 'url', code: 'webhook.url_refused', message: 'The URL cannot be used.' }] },
  );

const challengeFailed = (response: WebhookResponse) =>
  refuse(
    'webhook.challenge_failed',
    response.kind === 'failed'
      ? `The endpoint did not respond to the challenge (${response.error}).`
      : `The endpoint responded to the challenge with status ${response.status} and did not repeat its text. Respond to a body of type webhook.challenge with status 200 and its challenge.`,
  );
