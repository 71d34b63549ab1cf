import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { runAsOperator, operatorCall, startService } from '@switchboard/bootstrap';
import { ok } from '@switchboard/domain';
import { sealAudit } from '@switchboard/domain/audit';
import { openDatabase, type Database } from '@switchboard/persistence';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

jest.setTimeout(180_000);

let installation: Installation;
let database: Database;
beforeAll(async () => {
  const url = await testDatabase('cli_audit');
  installation = await createInstallation({ DATABASE_URL: url, PORT: String(await freePort()) });
  database = openDatabase(url, { max: 1 });
});
afterAll(async () => {
  await database.close();
  await installation.remove();
});

interface Verified {
  readonly ok: boolean;
  readonly chains: readonly {
    readonly workspace_id: string;
    readonly checked: number;
    readonly unsealed: number;
    readonly expect: string;
  }[];
}

/** The rows of a first start, sealed, and one that is not sealed. */
async function written(): Promise<string> {
  const { ports, close } = await startService({ app: 'cli', logTo: 'stderr', env: installation.env });
  await sealAudit(ports, new AbortController().signal);
  const [workspace] = await ports.workspaces.list();
  if (!workspace) throw new Error('the first start created no workspace');
  const call = operatorCall(ports, workspace.id);
  await runAsOperator(
    ports,
    call,
    'test',
    async () => ok(),
    () => 'con_1',
  );
  await close();
  return workspace.id;
}

test('verifies the log, reports unsealed rows, and finds later changes', async () => {
  const id = await written();
  const verified = await installation.json<Verified>('audit', 'verify');
  expect(verified).toMatchObject({ ok: true, chains: [{ workspace_id: id, unsealed: 1, broken: null }] });
  const note = verified.chains[0]?.expect ?? '';

  await database.prisma.$transaction(async (client) => {
    await client.$executeRaw`SET LOCAL session_replication_role = replica`;
    await client.$executeRaw`UPDATE audit_rows SET actor = 'key_forged' WHERE workspace_id = ${id} AND seq = 1`;
  });
  const broken = await installation.run('audit', 'verify', '--json', '--expect', note);
  expect(broken).toMatchObject({ code: 1, stderr: expect.stringMatching(/Audit rows \d+ of \d+/) });
  expect(JSON.parse(broken.stdout)).toMatchObject({
    ok: false,
    chains: [{ broken: { kind: 'changed', seq: 1, id: expect.stringMatching(/^aud_/) }, expect: null }],
  });
  const shown = await installation.run('audit', 'verify', '--workspace', id);
  expect([shown.code, shown.stdout]).toEqual([
    1,
    expect.stringMatching(/^BROKEN wsp_\w+: row 1, aud_\w+: changed/),
  ]);
});

test('rejects an invalid checkpoint', async () => {
  expect(await installation.run('audit', 'verify', '--expect', 'wsp_1:2')).toMatchObject({
    code: 2,
    stdout: '',
  });
});
