import { expect, test } from '@jest/globals';
import { satisfies } from '@switchboard/domain/access';
import { attentionKinds } from '@switchboard/domain/attention';
import { memorySocial } from '@switchboard/domain/testing';
import { catalog } from '../catalog.js';
import { setupDispatch } from '../testing/setup-dispatch.js';
import listAttention from './list-attention.js';

const DAY_MS = 86_400_000;

test('an agent without the admin tools can make the call that each item names', async () => {
  const ending = { apiVersion: '7', apiVersionEndsOn: '1999-01-01' };
  const it = await setupDispatch([memorySocial({ manifest: ending })]);
  const account = await it.connect();
  const dead = await it.connect({ status: 'needs_reauth' });
  for (const one of [account, dead]) {
    await it.repositories.refunds.insert(it.build.refund(one, { status: 'needs_review' }));
  }
  const notAfter = it.clock.after(-DAY_MS);
  for (const status of ['needs_review', 'missed'] as const) {
    await it.repositories.posts.insert(it.build.post(it.profile, [account], {}, { status, notAfter }));
  }
  await it.connect({ status: 'degraded' });
  const error = { code: 'media.failed', message: 'Status 404.' } as const;
  for (const status of ['failed', 'pending'] as const) {
    await it.repositories.posts.insert(it.build.post(it.profile, [account], {}, { status, error }));
  }
  const pause = { cause: 'requested', reason: null, by: 'system:operator', at: it.clock.now() } as const;
  await it.connect({ pause });
  await it.repositories.profiles.update(it.workspace.id, it.profile.id, { pause });
  const promotion = { at: it.clock.now(), deliveries: 0, refunds: 0 };
  await it.repositories.pauses.updateInstallation({ pause, promotion });
  for (const scopes of [
    ['orders:read', 'posts:read', 'connections:read'],
    ['orders:read', 'refunds:write', 'posts:write', 'connections:read', 'connections:write'],
  ] as const) {
    const { authorization } = await it.key(scopes);
    const { value } = await it.call(listAttention, {}, { authorization });
    const items = value['data'] as readonly {
      kind: string;
      next: { operation: string; arguments: object };
    }[];
    // Without tools: these items are shown to keys for webhooks and approvals, with a call for REST.
    const ofRest = ['webhook_disabled', 'approval_pending'];
    const ofTools = attentionKinds.filter((kind) => !ofRest.includes(kind));
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(ofTools));
    for (const { next } of items) {
      const named = catalog.find(({ name }) => name === next.operation);
      if (!named) throw new Error(`unknown operation ${next.operation}`);
      expect([null, 'admin']).not.toContain(named.toolset);
      expect(named.scope === 'any' || satisfies(scopes, named.scope)).toBe(true);
      expect(named.mcpInput.safeParse(next.arguments).error).toBeUndefined();
    }
  }
});
