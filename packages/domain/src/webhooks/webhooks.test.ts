import { beforeEach, expect, test } from '@jest/globals';
import { answered } from '../../testing/environment/fake-webhooks.js';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import { opaqueEvent } from '../../testing/opaque-event.js';
import type { Call } from '../call.js';
import { listAttention } from '../attention/list-attention.js';
import { ok } from '../result.js';
import { withEndpointCheck } from './check-endpoint.js';
import { createWebhook, WEBHOOKS_MAX, type CreateWebhook } from './create-webhook.js';
import { deleteWebhook } from './delete-webhook.js';
import { getWebhook } from './get-webhook.js';
import { listWebhooks } from './list-webhooks.js';
import { redeliverWebhookDelivery } from './redeliver-webhook-delivery.js';
import { redeliverWebhookEvents } from './redeliver-webhook-events.js';
import { rotateWebhookSecret } from './rotate-webhook-secret.js';
import { testWebhook } from './test-webhook.js';
import { updateWebhook, type UpdateWebhook } from './update-webhook.js';

let it: TestEnvironment;
beforeEach(async () => {
  it = await createTestEnvironment();
});

const URL = 'https://hooks.example/in';
const create = async (over: Partial<CreateWebhook> = {}, call = it.call()) => {
  const command: CreateWebhook = { url: URL, events: ['post.*'], ...over };
  const checked = await withEndpointCheck(it.ports, call, command);
  return it.atomic((ports) => createWebhook(ports, checked, command));
};
const created = async (over: Partial<CreateWebhook> = {}) => {
  const result = await create(over);
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
};
const update = async (command: UpdateWebhook, call: Call = it.call()) => {
  const checked = await withEndpointCheck(it.ports, call, command);
  return it.atomic((ports) => updateWebhook(ports, checked, command));
};
const codeOf = (result: { ok: boolean; failure?: { code: string } }) => result.failure?.code;

test('is created when the endpoint repeats the challenge; the secret is returned once and stored sealed', async () => {
  const { webhook, secret } = await created({ description: 'CRM', events: ['post.*', 'post.*'] });
  expect(webhook).toMatchObject({ url: URL, events: ['post.*'], profileIds: null, disabledReason: null });
  expect(secret.reveal()).toMatch(/^whsec_[A-Za-z0-9+/=-]+$/);
  expect(it.webhookClient.sent).toMatchObject([{ url: URL, secrets: [] }]);
  expect(await getWebhook(it.ports, it.call(), { id: webhook.id })).toEqual(ok(webhook));
  const [stored] = await it.ports.webhooks.findSecrets(it.workspace.id, webhook.id);
  expect(stored?.generation).toBe(1);
  expect(JSON.stringify(await listWebhooks(it.ports, it.call(), { limit: 10 }))).not.toContain('whsec_');
});

test.each([
  ['a wrong text', async () => answered(200, { head: 'ok' })],
  ['the text with an error status', async (text: string) => answered(500, { head: text })],
  ['a redirect', async (text: string) => answered(302, { head: text })],
  ['nothing', async () => ({ kind: 'failed', error: 'timeout', latencyMs: 1 }) as const],
])('is refused when the endpoint responds to the challenge with %s', async (_, challenge) => {
  it.webhookClient.challenge = challenge;
  expect(codeOf(await create())).toBe('webhook.challenge_failed');
  expect(await it.ports.webhooks.count(it.workspace.id)).toBe(0);
});

test('the plain text of the challenge is accepted as well', async () => {
  it.webhookClient.challenge = async (text) => answered(200, { head: `${text}\n` });
  expect((await create()).ok).toBe(true);
});

test.each(['invalid_url', 'address_refused', 'dns'] as const)(
  'a URL with %s is refused unsent',
  async (problem) => {
    it.webhookClient.refused.set(URL, problem);
    expect(codeOf(await create())).toBe('webhook.url_refused');
    expect(it.webhookClient.sent).toEqual([]);
  },
);

test('a profile must exist in the workspace', async () => {
  const { webhook } = await created({ profileIds: [it.profile.id, it.profile.id] });
  expect(webhook.profileIds).toEqual([it.profile.id]);
  expect(codeOf(await create({ profileIds: ['prf_unknown'] }))).toBe('profile.not_found');
  expect(codeOf(await update({ id: webhook.id, profileIds: ['prf_unknown'] }))).toBe('profile.not_found');
});

test('a key that hides personal data creates and changes only webhooks that hide them', async () => {
  const hiding = it.call({}, { hidePersonalData: true });
  expect(await create({}, hiding)).toMatchObject({ value: { webhook: { hidePersonalData: true } } });
  expect(codeOf(await create({ hidePersonalData: false }, hiding))).toBe('key.policy_exceeded');
  const { webhook } = await created();
  expect(webhook.hidePersonalData).toBe(false);
  expect(codeOf(await update({ id: webhook.id, url: 'https://mine.example' }, hiding))).toBe(
    'key.policy_exceeded',
  );
  expect((await update({ id: webhook.id, hidePersonalData: true }, hiding)).ok).toBe(true);
});

test('a workspace has a limited number of webhooks', async () => {
  await it.ports.transactions.run(async (tx) => {
    for (let index = 0; index < WEBHOOKS_MAX; index++)
      await tx.webhooks.insert(
        it.build.webhook(it.workspace),
        { generation: 1, sealed: new Uint8Array() },
        '0',
      );
    return ok();
  });
  expect(codeOf(await create())).toBe('webhook.limit_reached');
});

test('an update challenges a new URL only, and one that changes nothing keeps the version', async () => {
  const { webhook } = await created();
  expect(await update({ id: webhook.id, url: URL, events: ['post.*'], disabled: false })).toEqual(
    ok(webhook),
  );
  expect(await update({ id: webhook.id, events: ['key.*'] })).toMatchObject({
    value: { events: ['key.*'], version: 2 },
  });
  expect(it.webhookClient.sent).toHaveLength(1);
  it.webhookClient.challenge = async () => answered(404);
  expect(codeOf(await update({ id: webhook.id, url: 'https://other.example' }))).toBe(
    'webhook.challenge_failed',
  );
  const stale = it.call({ ifMatch: '"1"' });
  expect(codeOf(await update({ id: webhook.id, events: ['post.*'] }, stale))).toBe(
    'request.precondition_failed',
  );
});

test('a webhook of another workspace, a malformed id and a missing one are not found and not challenged', async () => {
  const { webhook } = await created();
  const elsewhere = it.build.workspace();
  await it.repositories.workspaces.insert(elsewhere);
  const foreign = it.call({ workspaceId: elsewhere.id });
  for (const [id, call] of [
    [webhook.id, foreign],
    ['whk_malformed', it.call()],
    [it.ids.next('whk'), it.call()],
  ] as const) {
    expect(codeOf(await update({ id, url: 'https://other.example' }, call))).toBe('webhook.not_found');
    expect(codeOf(await it.atomic((ports) => deleteWebhook(ports, call, { id })))).toBe('webhook.not_found');
    expect(codeOf(await testWebhook(it.ports, call, { id }))).toBe('webhook.not_found');
  }
  expect(it.webhookClient.sent).toHaveLength(1);
});

test('a rotation returns a new secret, and messages are signed with both until the overlap ends', async () => {
  const { webhook, secret } = await created();
  const command = { id: webhook.id, overlapSeconds: 60 };
  const checked = await withEndpointCheck(it.ports, it.call(), { id: webhook.id });
  const rotated = await it.atomic((ports) => rotateWebhookSecret(ports, checked, command));
  if (!rotated.ok) throw new Error(rotated.failure.code);
  const signedWith = async () => {
    await testWebhook(it.ports, it.call(), { id: webhook.id });
    return it.webhookClient.sent.at(-1)?.secrets.map((one) => one.reveal());
  };
  const next = rotated.value.secret.reveal();
  expect(next).not.toBe(secret.reveal());
  expect(await signedWith()).toEqual([next, secret.reveal()]);
  it.clock.advance(61_000);
  expect(await signedWith()).toEqual([next]);
});

test('a test reports what the endpoint responded', async () => {
  const { webhook } = await created();
  expect(await testWebhook(it.ports, it.call(), { id: webhook.id })).toMatchObject({
    value: { attempt: { status: 204, error: null } },
  });
  it.webhookClient.respond = async () => answered(404, { head: 'no such hook' });
  expect(await testWebhook(it.ports, it.call(), { id: webhook.id })).toMatchObject({
    value: { attempt: { status: 404, error: 'status', responseHead: 'no such hook' } },
  });
  expect(JSON.parse(it.webhookClient.sent.at(-1)?.body ?? '')).toMatchObject({ type: 'webhook.test' });
});

test('a stopped webhook is listed for attention with the call that enables it, a disabled one is not', async () => {
  const { webhook } = await created({ description: 'CRM' });
  const read = async (scopes: ('webhooks:read' | 'webhooks:write' | 'posts:read')[]) => {
    const call = it.call({ actor: { kind: 'key', key: it.key({ scopes }) } });
    const listed = await listAttention(it.ports, call, { limit: 10 });
    return listed.ok ? listed.value.items : [];
  };
  await update({ id: webhook.id, disabled: true });
  expect(await read(['webhooks:read'])).toEqual([]);
  await it.ports.transactions.run(async (tx) =>
    ok(await tx.webhooks.update(it.workspace.id, webhook.id, { disabledReason: 'failing' })),
  );
  expect(await read(['posts:read'])).toEqual([]);
  expect(await read(['webhooks:read'])).toMatchObject([
    { kind: 'webhook_disabled', title: 'CRM', webhookId: webhook.id, next: { operation: 'getWebhook' } },
  ]);
  expect(await read(['webhooks:read', 'webhooks:write'])).toMatchObject([
    { next: { operation: 'updateWebhook', arguments: { id: webhook.id, disabled: false } } },
  ]);
  await update({ id: webhook.id, disabled: false });
  expect(await read(['webhooks:read'])).toEqual([]);
});

test('a redelivery needs an enabled webhook, a delivery of it, and a period', async () => {
  const { webhook } = await created({ disabled: true });
  const since = it.clock.after(-60_000);
  const redeliver = (over: { since?: Date; until?: Date } = {}) =>
    it.atomic((ports) => redeliverWebhookEvents(ports, it.call(), { id: webhook.id, since, ...over }));
  const one = (deliveryId: string) =>
    it.atomic((ports) => redeliverWebhookDelivery(ports, it.call(), { id: webhook.id, deliveryId }));
  expect(codeOf(await redeliver())).toBe('webhook.disabled');
  expect(codeOf(await one('whd_unknown'))).toBe('webhook_delivery.not_found');
  await update({ id: webhook.id, disabled: false });
  expect(codeOf(await redeliver({ until: since }))).toBe('request.invalid');
  expect((await redeliver()).ok).toBe(true);
  await it.ports.transactions.run(async (tx) => {
    await tx.events.append(
      opaqueEvent({ workspaceId: it.workspace.id, type: 'post.created', profileId: null }),
    );
    return ok();
  });
  expect((await redeliver()).ok).toBe(true);
  expect(codeOf(await redeliver())).toBe('webhook.redelivery_in_progress');
});
