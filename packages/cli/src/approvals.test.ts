import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '@switchboard/bootstrap';
import { builders } from '@switchboard/domain/testing';
import type { Workspace } from '@switchboard/domain/workspaces';
import { testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
let service: Service;
let workspace: Workspace;
let build: ReturnType<typeof builders>;
beforeAll(async () => {
  installation = await createInstallation({ DATABASE_URL: await testDatabase('cli_approvals') });
  service = await startService({ app: 'cli', logTo: 'stderr', env: installation.env });
  const [first] = await service.ports.workspaces.list();
  if (!first) throw new Error('the first start created no workspace');
  workspace = first;
  build = builders(service.ports);
});
afterAll(async () => {
  await service.close();
  await installation.remove();
});

/** A post that waits for a person. */
async function request(text: string): Promise<string> {
  const { ports } = service;
  const [profile] = (await ports.profiles.list(workspace.id, { reach: null }, { limit: 1 })).items;
  if (!profile) throw new Error('the first start created no profile');
  const connection = build.connection(profile);
  const post = build.post(profile, [connection], { text }, { status: 'awaiting_approval' });
  const digests = Object.fromEntries(post.deliveries.map(({ id }) => [id, 'digest']));
  const approval = build.approval(post, { digests, summary: `Publish ${text}.` });
  await ports.transactions.run(async (tx) => {
    await tx.connections.insert(connection);
    await tx.posts.insert(post);
    await tx.approvals.insert(approval);
    return { ok: true, value: undefined };
  });
  return approval.id;
}

interface Approval {
  readonly id: string;
  readonly status: string;
  readonly decided_by: string | null;
  readonly note: string | null;
}
const list = async (...args: readonly string[]) =>
  (await installation.json<{ readonly data: readonly Approval[] }>('approvals', 'list', ...args)).data;

test('lists what waits, and the operator approves or rejects it with a note', async () => {
  const [one, two] = [await request('One'), await request('Two')];
  expect((await list()).map(({ id }) => id)).toEqual([two, one]);
  expect((await installation.run('approvals', 'list')).stdout).toContain('Publish One.');
  expect(await installation.json('approvals', 'approve', one, '--note', 'Fine.')).toMatchObject({
    id: one,
    status: 'approved',
    decided_by: 'system:operator',
    note: 'Fine.',
  });
  const rejected = await installation.run('approvals', 'reject', two, '--note', 'Wrong price.');
  expect([rejected.code, rejected.stdout]).toEqual([0, `Rejected ${two}. Publish Two.\n`]);
  expect(await list()).toEqual([]);
  expect((await list('--status', 'all')).map(({ id, status }) => [id, status])).toEqual([
    [two, 'rejected'],
    [one, 'approved'],
  ]);
  expect((await installation.run('approvals', 'list')).stdout).toContain('Nothing waits for a person.');
  const rows = await service.ports.auditTrail.list(workspace.id, {}, { limit: 10 });
  const decisions = rows.items.filter(({ action }) => /Approval$/.test(action));
  expect(decisions.map(({ actor, action, object }) => [actor, action, object])).toEqual([
    ['system:operator', 'rejectApproval', two],
    ['system:operator', 'approveApproval', one],
  ]);
});

test('refuses another decision, a missing reason and an unknown request', async () => {
  const id = await request('Three');
  expect(await installation.run('approvals', 'reject', id)).toMatchObject({ code: 2 });
  expect(await installation.run('approvals', 'reject', id, '--note', ' ')).toMatchObject({ code: 2 });
  await installation.json('approvals', 'approve', id);
  const { code, stderr } = await installation.run('approvals', 'reject', id, '--note', 'Late.');
  expect([code, stderr]).toEqual([1, expect.stringContaining('was approved')]);
  expect(await installation.run('approvals', 'approve', 'apr_none')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no approval') as unknown,
  });
});
