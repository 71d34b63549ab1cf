import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService } from '@switchboard/bootstrap';
import { finishConnect, openConnect } from '@switchboard/domain/connections';
import { freePort, testDatabase } from '@switchboard/persistence/testing';
import { createInstallation, type Installation } from './testing/installation.js';

let installation: Installation;
beforeAll(async () => {
  installation = await createInstallation({
    DATABASE_URL: await testDatabase('cli_workspaces'),
    PORT: String(await freePort()),
  });
});
afterAll(() => installation.remove());

interface Listed {
  readonly data: readonly { readonly id: string; readonly name: string }[];
}

test('lists the workspace and the profile of the first start', async () => {
  const { data } = await installation.json<Listed>('workspaces', 'list');
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^wsp_/),
      name: 'default',
      display_name: null,
      logo_url: null,
      accent_color: null,
      support_email: null,
      privacy_url: null,
      return_urls: [],
      notify_emails: [],
      default_timezone: 'UTC',
      created_at: expect.stringMatching(/Z$/),
    },
  ]);
  expect(await installation.json<Listed>('profiles', 'list')).toEqual({
    data: [
      {
        id: expect.stringMatching(/^prf_/),
        name: 'default',
        external_id: null,
        timezone: 'UTC',
        metadata: {},
        paused: false,
        pause: null,
        created_at: expect.stringMatching(/Z$/),
      },
    ],
  });
});

test('sets the posting slots of a profile, and shows the coming ones', async () => {
  const slots = [
    { weekday: 'monday', time: '09:00' },
    { weekday: 'monday', time: '18:30' },
    { weekday: 'friday', time: '12:00' },
  ];
  const set = ['monday=09:00,18:30', 'Friday=12:00', '--timezone', 'Europe/Madrid'];
  expect(await installation.json('queue', 'set', ...set)).toMatchObject({ timezone: 'Europe/Madrid', slots });
  const { coming } = await installation.json<{ coming: { at: string }[] }>('queue', 'show', '--limit', '3');
  expect(coming).toHaveLength(3);
  for (const wrong of [['monday'], ['monday=25:00'], ['someday=09:00']])
    expect(await installation.run('queue', 'set', ...wrong)).toMatchObject({ code: 2 });
  expect(await installation.json('queue', 'set')).toMatchObject({ slots: [], coming: [] });
});

test('lists platforms, and shows what to register at one', async () => {
  const { data } = await installation.json<Listed>('platforms', 'list');
  expect(data.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['bluesky', 'sandbox_social', 'sandbox_store']),
  );
  expect(await installation.json('platforms', 'setup', 'sandbox_social')).toMatchObject({
    id: 'sandbox_social',
    console_url: null,
    redirect_uri: `http://127.0.0.1:${installation.env['PORT']}/oauth/callback/sandbox_social`,
    permissions: expect.arrayContaining(['posts:write', 'insights:read']),
    missing: [],
  });
});

test('shows no redirect URI for a platform without OAuth (finding 66)', async () => {
  expect(await installation.json('platforms', 'setup', 'telegram')).toMatchObject({ redirect_uri: null });
  const { stdout } = await installation.run('platforms', 'setup', 'telegram');
  expect(stdout).not.toContain('redirect URI');
});

test('reports that there is no account to try, and how to connect one', async () => {
  const { code, stderr } = await installation.run('platforms', 'try', 'sandbox_social', 'post', 'hi');
  expect([code, stderr]).toEqual([1, expect.stringContaining('`switchboard connect sandbox_social`')]);
});

test('prints a connect link, reports that it is not reachable, and reports the end of its session', async () => {
  const waiting = installation.startCommand(['connect', 'sandbox_social', '--json']);
  const url = await waiting.waitForOutput(/http\S+\/connect\/\S+/);
  await waiting.waitForOutput(/does not respond/);
  const service = await startService({ app: 'cli', logTo: 'stderr', env: installation.env });
  const opened = await openConnect(service.ports, new URL(url).pathname.split('/').at(-1) ?? '', null);
  if (opened.ok) await finishConnect(service.ports, opened.value.session);
  await service.close();
  const { code, stdout } = await waiting.exited;
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', connection_ids: [] });
});

test('a wait for a connection can be interrupted; the link stays valid', async () => {
  const waiting = installation.startCommand(['connect', 'sandbox_store']);
  await waiting.waitForOutput(/\/connect\/\S+/);
  waiting.kill('SIGINT');
  expect(await waiting.exited).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('stays valid'),
  });
});

test('prints only the link without waiting', async () => {
  const { code, stdout } = await installation.run('connect', 'bluesky', '--no-wait');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]+\n$/),
  ]);
});

test('with several workspaces one must be named, by id or by name', async () => {
  const acme = await installation.json<{ id: string; profile_id: string }>(
    ...['workspaces', 'create', 'acme', '--timezone', 'Europe/Madrid'],
  );
  expect(acme).toMatchObject({ name: 'acme', default_timezone: 'Europe/Madrid' });
  const unnamed = await installation.run('profiles', 'list');
  expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('default, acme')]);
  for (const name of ['acme', acme.id]) {
    const { data } = await installation.json<Listed>('profiles', 'list', '--workspace', name);
    expect(data.map(({ id }) => id)).toEqual([acme.profile_id]);
  }
  const shop = await installation.json(
    'profiles',
    'create',
    'Shop',
    '--workspace',
    'acme',
    '--external-id',
    'c-17',
  );
  expect(shop).toMatchObject({ name: 'Shop', external_id: 'c-17', timezone: 'Europe/Madrid' });
  const [first] = (await installation.json<Listed>('profiles', 'list', '--workspace', 'acme')).data;
  expect(first).toEqual(shop);
});

test('updates a workspace, and rejects a name in use and an unsafe return URL', async () => {
  const acme = (await installation.json<Listed>('workspaces', 'list')).data.find(
    ({ name }) => name === 'acme',
  );
  const update = ['workspaces', 'update', acme?.id ?? ''];
  const changed = await installation.json(
    ...[...update, '--display-name', 'Acme Ltd'],
    ...['--return-url', 'https://a.example/x', '--return-url', 'https://b.example/y'],
  );
  expect(changed).toMatchObject({
    name: 'acme',
    display_name: 'Acme Ltd',
    return_urls: ['https://a.example/x', 'https://b.example/y'],
  });
  expect(await installation.run(...update, '--name', 'default')).toMatchObject({ code: 1, stdout: '' });
  expect(await installation.run(...update, '--return-url', 'javascript:alert(1)')).toMatchObject({
    code: 2,
    stdout: '',
  });
  expect(await installation.run(...update)).toMatchObject({ code: 2, stdout: '' });
  expect(await installation.json(...update, '--display-name', '', '--return-url', 'none')).toMatchObject({
    name: 'acme',
    display_name: null,
    return_urls: [],
  });
});

test.each([
  ['an empty name', ['workspaces', 'create', ' ']],
  ['a time zone that does not exist', ['workspaces', 'create', 'x', '--timezone', 'Mars/Base']],
  ['an offset as time zone', ['profiles', 'create', 'x', '--timezone', '+02:00']],
  ['an unknown action of a platform', ['platforms', 'try', 'bluesky', 'dance']],
  ['a post without a text', ['platforms', 'try', 'bluesky', 'post']],
])('rejects %s in one line', async (_, args) => {
  const { code, stdout, stderr } = await installation.run(...args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^switchboard: [^\n]+\n$/)]);
});
