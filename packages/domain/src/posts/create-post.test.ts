import { describe, expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment, type TestEnvironment } from '../../testing/environment/test-environment.js';
import type { KeyPolicy } from '../access/policy.js';
import { createPost } from './create-post.js';
import type { DraftPost } from './draft-post.js';
import { validatePost } from './validate-post.js';

const create = (it: TestEnvironment, draft: Partial<DraftPost>, policy: Partial<KeyPolicy> = {}) =>
  it.atomic((ports) => createPost(ports, it.call({}, policy), { text: 'Hello', ...draft }));
const validate = (it: TestEnvironment, draft: Partial<DraftPost>) =>
  validatePost(it.ports, it.call(), { text: 'Hello', ...draft });

/** The stored posts, jobs and events: none after a refusal. */
async function left(it: TestEnvironment) {
  const { items } = await it.repositories.posts.list(
    it.workspace.id,
    { reach: null, sort: '-created_at' },
    { limit: 100 },
  );
  return { posts: items.length, jobs: it.jobs().length, events: it.events().length };
}
const nothing = { posts: 0, jobs: 0, events: 0 };

test('an immediate post is stored with one delivery per connection, and wakes the worker once', async () => {
  const it = await createTestEnvironment();
  const [one, two] = [await it.connect(), await it.connect()];
  const created = await create(it, { link: 'https://a', metadata: { campaign: 'spring' } });
  if (!created.ok) throw new Error(created.failure.code);
  const post = created.value;
  expect(await it.repositories.posts.find(it.workspace.id, post.id)).toEqual(post);
  expect(post).toMatchObject({ profileId: it.profile.id, timezone: 'UTC', metadata: { campaign: 'spring' } });
  expect(post.deliveries.map(({ connectionId, status }) => [connectionId, status])).toEqual([
    [one.id, 'pending'],
    [two.id, 'pending'],
  ]);
  expect(it.jobs()).toEqual([
    { job: { name: 'deliver', workspaceId: it.workspace.id }, startAfter: undefined },
  ]);
  expect(it.events()).toMatchObject([{ type: 'post.created', data: { status: 'publishing' } }]);
});

test('a scheduled post has an event, and no job until it is due (finding 82)', async () => {
  const it = await createTestEnvironment();
  await it.connect();
  const created = await create(it, { scheduledAt: '2026-05-01T09:00:00', timezone: 'Europe/Madrid' });
  const time = new Date('2026-05-01T07:00:00Z');
  expect(created).toMatchObject({ value: { scheduledAt: time, timezone: 'Europe/Madrid' } });
  expect(it.jobs()).toEqual([]);
  expect(it.events()).toMatchObject([
    { type: 'post.created', profileId: it.profile.id },
    { type: 'post.scheduled', profileId: it.profile.id, data: { deliveries: [{ status: 'pending' }] } },
  ]);
});

describe('"all"', () => {
  test('selects active and degraded social connections of the profile and reports the skipped ones', async () => {
    const it = await createTestEnvironment();
    const taken = [await it.connect(), await it.connect({ status: 'degraded' })];
    const dead = await it.connect({ status: 'needs_reauth' });
    await it.connect({ kind: 'commerce' });
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    await it.connect({}, other);
    for (const targets of ['all', undefined] as const) {
      const created = await create(it, { profileId: it.profile.id, targets, allowDuplicate: true });
      if (!created.ok) throw new Error(created.failure.code);
      expect(created.value.deliveries.map(({ connectionId }) => connectionId)).toEqual(
        taken.map(({ id }) => id),
      );
      expect(created.value.skipped).toEqual([
        { connectionId: dead.id, platform: 'sandbox_social', status: 'needs_reauth' },
      ]);
    }
  });

  test('never selects a sandbox next to a real account, and selects a sandbox where it is alone', async () => {
    const it = await createTestEnvironment([
      memorySocial({ sandbox: true }),
      memorySocial({ id: 'bluesky' }),
    ]);
    const sandbox = await it.connect();
    expect(await create(it, {})).toMatchObject({ value: { deliveries: [{ connectionId: sandbox.id }] } });
    const real = await it.connect({ platform: 'bluesky' });
    expect(await create(it, {})).toMatchObject({
      value: { deliveries: [{ connectionId: real.id }], skipped: [{ connectionId: sandbox.id }] },
    });
  });

  test('without any connection is rejected with the call that connects an account', async () => {
    const it = await createTestEnvironment();
    const refused = (given: object) => ({
      failure: { code: 'post.no_targets', next: { operation: 'startConnect', arguments: given } },
    });
    expect(await create(it, {})).toMatchObject(refused({ profile_id: it.profile.id }));
    const dead = await it.connect({ status: 'needs_reauth' });
    expect(await create(it, {})).toMatchObject(refused({ connection_id: dead.id }));
    expect(await left(it)).toEqual(nothing);
  });
});

describe('named targets', () => {
  test('may be a platform with one connection', async () => {
    const it = await createTestEnvironment([memorySocial(), memorySocial({ id: 'bluesky' })]);
    await it.connect();
    const bluesky = await it.connect({ platform: 'bluesky' });
    expect(await create(it, { targets: [{ platform: 'bluesky' }] })).toMatchObject({
      value: { deliveries: [{ connectionId: bluesky.id }], skipped: [] },
    });
  });

  test('are ambiguous as a platform with two connections, and both are listed', async () => {
    const it = await createTestEnvironment();
    const [one, two] = [await it.connect(), await it.connect()];
    expect(await create(it, { targets: [{ platform: 'sandbox_social' }] })).toMatchObject({
      failure: {
        code: 'post.target_ambiguous',
        candidates: [{ connection_id: one.id }, { connection_id: two.id }],
      },
    });
  });

  test('override text and link, also with no link', async () => {
    const it = await createTestEnvironment();
    const [one, two] = [await it.connect(), await it.connect()];
    const created = await create(it, {
      link: 'https://a',
      targets: [
        { connectionId: one.id, text: 'Hi' },
        { connectionId: two.id, link: null },
      ],
    });
    expect(created).toMatchObject({
      value: {
        deliveries: [
          { parts: [{ text: 'Hi', link: 'https://a' }] },
          { parts: [{ text: 'Hello', link: null }] },
        ],
      },
    });
  });

  test.each([
    ['malformed', 'nonsense'],
    ['missing', 'con_01kah3v5w8e2m6r9t0x4y7z1ab'],
  ])('with %s ids are the same 404 as foreign ones', async (_kind, connectionId) => {
    const it = await createTestEnvironment();
    await it.connect();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    const foreign = await it.connect({}, other);
    const ask = (id: string) => create(it, { profileId: it.profile.id, targets: [{ connectionId: id }] });
    const refused = await ask(connectionId);
    expect(refused).toMatchObject({ failure: { code: 'connection.not_found' } });
    expect(await ask(foreign.id)).toEqual(refused);
  });

  test('that name one account twice, or not in exactly one way, are rejected at their path', async () => {
    const it = await createTestEnvironment();
    const { id } = await it.connect();
    const twice = [{ connectionId: id }, { platform: 'sandbox_social' }];
    const both = [{ connectionId: id, platform: 'sandbox_social' }];
    for (const [targets, path] of [
      [twice, 'targets.1'],
      [both, 'targets.0'],
      [[{}], 'targets.0'],
    ] as const) {
      expect(await create(it, { targets })).toMatchObject({
        failure: { code: 'request.invalid', problems: [{ path }] },
      });
    }
  });
});

describe('the profile of a post', () => {
  test('is required when the key reaches several profiles, and the failure lists them', async () => {
    const it = await createTestEnvironment();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    await it.connect();
    expect(await create(it, {})).toMatchObject({
      failure: {
        code: 'post.profile_required',
        candidates: [{ profile_id: other.id }, { profile_id: it.profile.id }],
      },
    });
    expect(await create(it, {}, { profileIds: [it.profile.id] })).toMatchObject({ ok: true });
  });

  test('is that of the named connections (finding 48)', async () => {
    const it = await createTestEnvironment();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    const [mine, theirs] = [await it.connect(), await it.connect({}, other)];
    const target = ({ id }: { id: string }) => ({ connectionId: id });
    for (const draft of [false, true]) {
      expect(await create(it, { targets: [target(theirs)], draft })).toMatchObject({
        ok: true,
        value: { profileId: other.id },
      });
    }
    const mixed = [target(mine), { platform: 'sandbox_social' }];
    expect(await create(it, { targets: mixed })).toMatchObject({ failure: { code: 'request.invalid' } });
    expect(await create(it, { targets: [target(mine), target(theirs)] })).toMatchObject({
      failure: {
        code: 'post.profile_required',
        candidates: [{ profile_id: other.id }, { profile_id: it.profile.id }],
      },
    });
    const missing = { failure: { code: 'connection.not_found' } };
    expect(await create(it, { targets: [target(mine), { connectionId: it.ids.next('con') }] })).toMatchObject(
      missing,
    );
    expect(await create(it, { targets: [target(theirs)] }, { profileIds: [it.profile.id] })).toMatchObject(
      missing,
    );
  });

  test('must be reachable, and so must its connections', async () => {
    const it = await createTestEnvironment();
    const other = it.build.profile(it.workspace);
    await it.repositories.profiles.insert(other);
    const foreign = await it.connect({}, other);
    const policy = { profileIds: [it.profile.id] };
    expect(await create(it, { profileId: other.id }, policy)).toMatchObject({
      failure: { code: 'profile.not_found' },
    });
    expect(await create(it, { targets: [{ connectionId: foreign.id }] }, policy)).toMatchObject({
      failure: { code: 'connection.not_found' },
    });
    expect(await left(it)).toEqual(nothing);
  });
});

describe('problems', () => {
  const demanding = () =>
    memorySocial({
      id: 'bluesky',
      manifest: {
        options: [
          { name: 'board', label: 'Board', type: 'string', required: true },
          {
            name: 'visibility',
            label: 'Visibility',
            type: 'choice',
            required: false,
            choices: [{ value: 'public', label: 'Public' }],
          },
          { name: 'langs', label: 'Languages', type: 'string_list', required: false, max: 2 },
          { name: 'ads', label: 'Advertising', type: 'boolean', required: false },
        ],
      },
      check: ({ text }) =>
        text.includes('!')
          ? [{ path: 'text', code: 'text.character_unsupported', message: 'Do not shout.' }]
          : [],
    });

  test('of all targets are reported together, each at its path in the request', async () => {
    const it = await createTestEnvironment([memorySocial(), demanding()]);
    const plain = await it.connect();
    const strict = await it.connect({ platform: 'bluesky' });
    const dead = await it.connect({ status: 'needs_reauth' });
    const options = { visibility: 'secret', langs: ['a', 'b', 'c'], ads: 'yes', colour: 'red' };
    const created = await create(it, {
      text: 'x'.repeat(21),
      targets: [
        { connectionId: plain.id },
        { connectionId: strict.id, text: `${'y'.repeat(20)}!`, options },
        { connectionId: dead.id, text: 'short' },
      ],
    });
    const problems = created.ok ? [] : created.failure.problems?.map(({ path, code }) => `${path} ${code}`);
    expect(problems).toEqual([
      'text text.too_long',
      'targets.1.text text.too_long',
      'targets.1.text text.character_unsupported',
      'targets.1.options.colour option.unknown',
      'targets.1.options.board option.required',
      'targets.1.options.visibility option.invalid',
      'targets.1.options.langs option.invalid',
      'targets.1.options.ads option.invalid',
      'targets.2 connection.needs_reauth',
    ]);
    expect(created).toMatchObject({ failure: { code: 'post.invalid' } });
    expect(await left(it)).toEqual(nothing);
  });

  test('of missing reply permissions are reported before anything is sent', async () => {
    const it = await createTestEnvironment([
      memorySocial({ id: 'chat', manifest: { replyPermission: 'bot' } }),
    ]);
    const body = { thread: [{ text: 'Two' }], firstComment: { text: 'More' } };
    const codes = async (grantedPermissions: readonly string[]) => {
      const { id } = await it.connect({ platform: 'chat', grantedPermissions });
      const created = await create(it, { ...body, targets: [{ connectionId: id }] });
      return created.ok ? [] : created.failure.problems?.map(({ path, code }) => `${path} ${code}`);
    };
    expect(await codes(['webhook'])).toEqual([
      'thread thread.unsupported',
      'first_comment thread.unsupported',
    ]);
    expect(await codes(['bot'])).toEqual([]);
    expect(await codes([])).toEqual([]);
  });

  test('of a thread, a first comment and a title are reported at their path', async () => {
    const plain = memorySocial({
      id: 'plain',
      manifest: { thread: false, firstComment: null, title: { max: 3, unit: 'characters', required: true } },
    });
    const short = memorySocial({ id: 'short', manifest: { firstComment: { max: 4 } } });
    const it = await createTestEnvironment([plain, short]);
    const [one, two] = [await it.connect({ platform: 'plain' }), await it.connect({ platform: 'short' })];
    const created = await create(it, {
      thread: [{ text: 'fine' }, { text: 'y'.repeat(21) }, { text: ' ' }],
      firstComment: { text: 'too long' },
      targets: [
        { connectionId: one.id, title: 'four' },
        { connectionId: two.id, title: 'none here' },
      ],
    });
    const problems = created.ok ? [] : created.failure.problems?.map(({ path, code }) => `${path} ${code}`);
    expect(problems).toEqual([
      'targets.0.title option.invalid',
      'thread.1.text text.too_long',
      'thread.2.text text.required',
      'thread thread.unsupported',
      'first_comment thread.unsupported',
      'targets.1.title option.unknown',
      'thread.1.text text.too_long',
      'thread.2.text text.required',
      'first_comment.text text.too_long',
    ]);
    const untitled = await create(it, { targets: [{ connectionId: one.id }] });
    expect(untitled).toMatchObject({
      failure: { problems: [{ path: 'targets.0.title', code: 'option.required' }] },
    });
    expect(await left(it)).toEqual(nothing);
  });

  test('of implicit targets are reported at "targets"', async () => {
    const it = await createTestEnvironment([demanding()]);
    await it.connect({ platform: 'bluesky' });
    expect(await create(it, {})).toMatchObject({
      failure: { problems: [{ path: 'targets', code: 'option.required' }] },
    });
  });

  test('count the text as it is published, with its link', async () => {
    const it = await createTestEnvironment();
    await it.connect();
    expect(await create(it, { text: 'x'.repeat(15), link: 'https' })).toMatchObject({
      failure: { problems: [{ path: 'text', code: 'text.too_long' }] },
    });
  });

  test('use the limits of the account’s own server, where they differ from the platform’s', async () => {
    const it = await createTestEnvironment();
    const account = { id: 'a', username: null, name: null, avatarUrl: null, url: null };
    const connect = async (max: number) =>
      (await it.connect({ account: { ...account, id: `allows ${max}`, textLimits: { max, perLink: 5 } } }))
        .id;
    const [short, long] = [await connect(10), await connect(30)];
    const targets = [{ connectionId: long }, { connectionId: short }];
    expect(await validate(it, { text: 'x'.repeat(30), targets })).toMatchObject({
      value: {
        targets: [
          { text: { used: 30, max: 30 }, problems: [] },
          { text: { used: 30, max: 10 }, problems: [{ code: 'text.too_long' }] },
        ],
      },
    });
    const one = [{ connectionId: long }];
    expect(await create(it, { text: 'x'.repeat(30), targets: one })).toMatchObject({ ok: true });
    expect(await create(it, { text: 'x'.repeat(31), targets: one })).toMatchObject({
      failure: { problems: [{ code: 'text.too_long' }] },
    });
  });

  test('include a text of nothing but spaces', async () => {
    const it = await createTestEnvironment();
    await it.connect();
    expect(await create(it, { text: ' \n ' })).toMatchObject({
      failure: { problems: [{ path: 'text', code: 'text.required' }] },
    });
  });

  test('do not include an expired login of a scheduled post, which waits for it', async () => {
    const it = await createTestEnvironment();
    const { id: connectionId } = await it.connect({ status: 'needs_reauth' });
    const draft = { targets: [{ connectionId }], scheduledAt: '2026-05-01T09:00:00Z' };
    expect(await validate(it, draft)).toMatchObject({
      value: { valid: true, targets: [{ problems: [], warnings: [{ code: 'connection.needs_reauth' }] }] },
    });
    expect(await create(it, draft)).toMatchObject({ ok: true });
  });
});

describe('the duplicate guard', () => {
  test('rejects the same text to the same account within a day, in any normalization', async () => {
    const it = await createTestEnvironment();
    await it.connect();
    const first = await create(it, { text: 'Caf\u00e9  now' });
    if (!first.ok) throw new Error(first.failure.code);
    expect(await create(it, { text: ' Cafe\u0301 now\n' })).toMatchObject({
      failure: {
        code: 'post.possible_duplicate',
        details: { id: first.value.id },
        next: { operation: 'getPost', arguments: { id: first.value.id } },
      },
    });
    expect(await left(it)).toMatchObject({ posts: 1, jobs: 1 });
  });

  test('accepts another text, another link, another day, and an explicit override', async () => {
    const it = await createTestEnvironment();
    await it.connect();
    await create(it, {});
    for (const draft of [
      { text: 'Hello!' },
      { link: 'https://a' },
      { scheduledAt: '2026-03-03T10:00:00Z' },
      { allowDuplicate: true },
    ]) {
      expect(await create(it, draft)).toMatchObject({ ok: true });
    }
  });

  test('rejects the whole post when one of its targets is a duplicate', async () => {
    const it = await createTestEnvironment();
    const { id: connectionId } = await it.connect();
    await create(it, { targets: [{ connectionId }] });
    await it.connect();
    expect(await create(it, { targets: 'all' })).toMatchObject({
      failure: { code: 'post.possible_duplicate' },
    });
    expect(await left(it)).toMatchObject({ posts: 1 });
  });

  test('takes its locks in one order, so that two posts to the same accounts cannot deadlock', async () => {
    const it = await createTestEnvironment();
    const ids = [(await it.connect()).id, (await it.connect()).id] as const;
    const locked: string[][] = [];
    for (const order of [ids, [ids[1], ids[0]]]) {
      const taken: string[] = [];
      locked.push(taken);
      await it.atomic((ports) =>
        createPost(
          { ...ports, posts: { ...ports.posts, lockContent: async (id) => void taken.push(id) } },
          it.call(),
          { text: `To ${order.indexOf(ids[0])}`, targets: order.map((connectionId) => ({ connectionId })) },
        ),
      );
    }
    expect(locked[1]).toEqual(locked[0]);
  });
});

describe('validating', () => {
  test('returns the final text of every target, and stores nothing', async () => {
    const it = await createTestEnvironment([
      memorySocial(),
      memorySocial({ id: 'bluesky', manifest: { text: null } }),
    ]);
    const [one, two] = [await it.connect(), await it.connect({ platform: 'bluesky' })];
    const validated = await validate(it, { link: 'https://a', scheduledAt: '2026-05-01T09:00:00Z' });
    expect(validated).toMatchObject({
      value: {
        valid: true,
        targets: [
          {
            connection: { id: one.id },
            finalText: 'Hello https://a',
            when: { at: new Date('2026-05-01T09:00:00Z') },
            text: { used: 15, max: 20, unit: 'characters' },
          },
          { connection: { id: two.id }, text: null },
        ],
      },
    });
    expect(await left(it)).toEqual(nothing);
  });

  test('finds the problems for which creation would be rejected', async () => {
    const it = await createTestEnvironment();
    await it.connect();
    const draft = { text: 'x'.repeat(21) };
    const [validated, created] = [await validate(it, draft), await create(it, draft)];
    if (!validated.ok || created.ok) throw new Error('valid, or created');
    expect(validated.value.valid).toBe(false);
    expect(validated.value.targets.flatMap(({ problems }) => problems)).toEqual(created.failure.problems);
  });
});
