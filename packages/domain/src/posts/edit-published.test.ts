import { describe, expect, test } from '@jest/globals';
import { memorySocial, type MemorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { applyEdit, claimEdits } from '../deliveries/apply-edit.js';
import { refuse } from '../failure.js';
import { unpublishPost } from '../deliveries/unpublish-post.js';
import type { DeliveryStatus } from '../deliveries/delivery.js';
import type { PlatformFailureCode, Publishing } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { editPost, type EditPost } from './edit-published.js';
import { getPostHistory } from './get-post-history.js';
import { isEditing, statusOf } from './post-status.js';

const never = new AbortController().signal;
const HOUR_MS = 3_600_000;

interface EditAnswer {
  readonly takesEffect: boolean;
  readonly code?: PlatformFailureCode | 'hangs' | undefined;
  readonly retryAfterSeconds?: number;
  readonly duringRequest?: () => Promise<unknown>;
}

/** A platform that edits, keeps what it shows by id, and answers the next edits like this. */
function editableSocial({ id = 'edits', reads = true, checkEdit }: EditableOptions = {}) {
  const shown = new Map<string, string>();
  const sent: string[] = [];
  const answers: EditAnswer[] = [];
  const looks: (PlatformFailureCode | null)[] = [];
  const edit: NonNullable<Publishing['edit']> = async (_session, { externalId }, { text }) => {
    sent.push(`${externalId}: ${text}`);
    const { takesEffect, code, retryAfterSeconds, duringRequest } = answers.shift() ?? { takesEffect: true };
    await duringRequest?.();
    if (takesEffect) shown.set(externalId, text);
    if (code === 'hangs') throw new Error('a bug in an adapter');
    return code ? refuse(code, `It said ${code}.`, { retryAfterSeconds }) : ok();
  };
  const isEdited: NonNullable<Publishing['isEdited']> = async (_session, { externalId }, { text }) => {
    const failing = looks.shift();
    return failing ? refuse(failing, `It said ${failing}.`) : ok(shown.get(externalId) === text);
  };
  const social = memorySocial({ id, edit, ...(reads && { isEdited }), ...(checkEdit && { checkEdit }) });
  return { social, shown, sent, answers, looks };
}
interface EditableOptions {
  readonly id?: string;
  readonly reads?: boolean;
  readonly checkEdit?: NonNullable<Publishing['checkEdit']>;
}

interface SceneOptions {
  readonly socials?: readonly MemorySocial[];
  readonly statuses?: readonly DeliveryStatus[];
  readonly thread?: boolean;
}

/** A post that says "Before" on each of these platforms. */
async function scene(
  platform = editableSocial(),
  { socials = [platform.social], statuses = [], thread = false }: SceneOptions = {},
) {
  const it = await createTestEnvironment(socials);
  const connections = await Promise.all(
    socials.map((social) => it.connect({ platform: social.platform.manifest.id })),
  );
  const built = it.build.post(it.profile, connections);
  const deliveries = built.deliveries.map((delivery, at) => {
    const status = statuses[at] ?? 'published';
    const state = ['published', 'deleted'].includes(status)
      ? ({ status: 'published', externalId: `post ${at}` } as const)
      : {};
    const reply = { index: 1, kind: 'thread' as const, text: 'Reply' };
    return {
      ...delivery,
      status,
      publishedAt: it.clock.now(),
      parts: [
        it.build.part({ text: 'Before', ...state }),
        ...(thread ? [it.build.part({ ...reply, ...state, externalId: `reply ${at}` })] : []),
      ],
    };
  });
  const post = {
    ...built,
    text: 'Before',
    thread: thread ? [{ text: 'Reply', media: [] }] : [],
    deliveries,
  };
  await it.repositories.posts.insert(post);
  const read = async () => {
    const found = await it.repositories.posts.find(it.workspace.id, post.id);
    if (!found) throw new Error('a post is gone');
    return found;
  };
  return {
    ...it,
    ...platform,
    post,
    connections,
    read,
    edit: (command: Omit<EditPost, 'id'>, call = it.call()) =>
      it.atomic((ports) => editPost(ports, call, { id: post.id, editPublished: true, ...command })),
    /** One sweep of a worker. */
    async work() {
      const claimed = await claimEdits(it.ports, 20);
      await Promise.all(claimed.map((one) => applyEdit(it.ports, one, never)));
      return claimed.length;
    },
    first: async () => {
      const [delivery] = (await read()).deliveries;
      if (!delivery) throw new Error('a delivery is gone');
      return delivery;
    },
    outcomes: async () => {
      const history = await getPostHistory(it.ports, it.call(), { id: post.id });
      return history.ok ? history.value.map(({ outcome }) => outcome) : [];
    },
    types: () => it.events().map(({ type }) => type),
  };
}

const codeOf = (result: Result<unknown>) => (result.ok ? 'ok' : result.failure.code);

test('an edit is stored before anything is sent, and the worker makes it', async () => {
  const it = await scene();
  const edited = await it.edit({ text: 'After' });
  expect(edited).toMatchObject({ ok: true, value: { text: 'After' } });
  expect(edited.ok && isEditing(edited.value)).toBe(true);
  expect(it.sent).toEqual([]);
  expect((await it.first()).parts[0]?.text).toBe('Before');
  expect(await it.work()).toBe(1);
  expect(it.sent).toEqual(['post 0: After']);
  const after = await it.read();
  expect(after.deliveries[0]).toMatchObject({
    status: 'published',
    edit: null,
    error: null,
    nextAttemptAt: null,
    parts: [{ text: 'After', status: 'published', externalId: 'post 0' }],
  });
  expect(after.deliveries[0]?.contentDigest).not.toBe(it.post.deliveries[0]?.contentDigest);
  expect(statusOf(after, it.clock.now())).toBe('published');
  expect(await it.outcomes()).toEqual(['edit', 'edit_begun', 'part_edited', 'edited']);
  expect(it.types()).toEqual(['post.updated', 'post.updated']);
  expect(await it.work()).toBe(0);
});

test('without the request to edit what is published, the update is refused', async () => {
  const it = await scene();
  expect(codeOf(await it.edit({ text: 'After', editPublished: false }))).toBe('post.already_published');
  expect(await it.work()).toBe(0);
});

test('the audit log names who requested the edit, and its outcome', async () => {
  const it = await scene();
  const call = it.call();
  await it.edit({ text: 'After' }, call);
  await it.work();
  const by = call.actor.kind === 'key' ? call.actor.key.id : '';
  expect(it.auditRows().filter(({ action }) => action === 'delivery.edited')).toMatchObject([
    { outcome: 'ok', object: it.post.deliveries[0]?.id, details: { requested_by: by } },
  ]);
});

test('each part of a thread is edited on its own, and unchanged parts are not sent', async () => {
  const it = await scene(editableSocial(), { thread: true });
  await it.edit({ thread: [{ text: 'Other reply' }] });
  await it.work();
  expect(it.sent).toEqual(['reply 0: Other reply']);
  await it.edit({ text: 'After', thread: [{ text: 'Last reply' }] });
  await it.work();
  expect(it.sent.slice(1)).toEqual(['post 0: After', 'reply 0: Last reply']);
});

describe('an edit with unknown outcome', () => {
  test('is looked up, and not sent again when the platform shows it', async () => {
    const it = await scene();
    it.answers.push({ takesEffect: true, code: 'platform.outcome_unknown' });
    await it.edit({ text: 'After' });
    await it.work();
    expect((await it.first()).error?.code).toBe('platform.outcome_unknown');
    expect((await it.first()).parts[0]?.text).toBe('Before');
    it.clock.advance(5000);
    await it.work();
    expect(it.sent).toHaveLength(1);
    expect(await it.first()).toMatchObject({ edit: null, error: null, parts: [{ text: 'After' }] });
  });

  test('is repeated when the platform shows the former text', async () => {
    const it = await scene();
    it.answers.push({ takesEffect: false, code: 'hangs' });
    await it.edit({ text: 'After' });
    await it.work();
    it.clock.advance(5000);
    await it.work();
    expect(it.sent).toHaveLength(2);
    expect(await it.first()).toMatchObject({ edit: null, parts: [{ text: 'After' }] });
  });

  test('is repeated where the platform cannot be queried: the same edit leaves the same post', async () => {
    const it = await scene(editableSocial({ reads: false }));
    it.answers.push({ takesEffect: true, code: 'platform.outcome_unknown' });
    await it.edit({ text: 'After' });
    await it.work();
    it.clock.advance(5000);
    await it.work();
    expect(it.sent).toEqual(['post 0: After', 'post 0: After']);
    expect(it.social.published).toEqual([]);
    expect(await it.first()).toMatchObject({ edit: null, parts: [{ text: 'After' }] });
  });

  test('stays unknown when a repetition is refused where the platform cannot be queried', async () => {
    const it = await scene(editableSocial({ reads: false }));
    it.answers.push({ takesEffect: true, code: 'platform.outcome_unknown' });
    it.answers.push({ takesEffect: false, code: 'platform.refused' });
    await it.edit({ text: 'After' });
    await it.work();
    it.clock.advance(5000);
    await it.work();
    expect((await it.first()).error?.code).toBe('platform.outcome_unknown');
    expect(await it.outcomes()).toContain('edit_unconfirmed');
    // The former text may not be what the platform shows: restoring it is an edit like any other.
    await it.edit({ text: 'Before' });
    await it.work();
    expect(it.shown.get('post 0')).toBe('Before');
    expect((await it.first()).parts[0]?.isTextUncertain).toBeUndefined();
  });

  test('is found by another worker after a crash between sending and recording', async () => {
    const it = await scene();
    await it.edit({ text: 'After' });
    const [crashed] = await claimEdits(it.ports, 1);
    if (!crashed) throw new Error('nothing was claimed');
    // It dies during the request: nothing more is written.
    it.answers.push({
      takesEffect: true,
      duringRequest: () => new Promise<never>(() => undefined),
    });
    void applyEdit(it.ports, crashed, never);
    while (it.sent.length === 0) await new Promise((next) => setTimeout(next, 1));
    it.shown.set('post 0', 'After');
    expect(await it.work()).toBe(0);
    it.clock.advance(13_000);
    expect(await it.work()).toBe(1);
    expect(it.sent).toHaveLength(1);
    expect(await it.first()).toMatchObject({ edit: null, parts: [{ text: 'After' }] });
  });

  test('ends after an hour, and is never reported as made or as not made', async () => {
    const it = await scene();
    it.answers.push({ takesEffect: true, code: 'platform.outcome_unknown' });
    await it.edit({ text: 'After' });
    await it.work();
    it.looks.push('platform.unavailable');
    it.clock.advance(5000);
    await it.work();
    it.clock.advance(HOUR_MS);
    await it.work();
    expect(await it.first()).toMatchObject({
      edit: null,
      error: { code: 'platform.outcome_unknown' },
      parts: [{ text: 'Before', isTextUncertain: true }],
    });
    expect(it.sent).toHaveLength(1);
  });
});

test('a refused edit changes nothing, and its delivery says so', async () => {
  const it = await scene();
  it.answers.push({ takesEffect: false, code: 'platform.refused' });
  await it.edit({ text: 'After' });
  await it.work();
  expect(await it.first()).toMatchObject({
    status: 'published',
    edit: null,
    error: { code: 'platform.refused' },
    parts: [{ text: 'Before' }],
  });
  expect((await it.first()).parts[0]?.isTextUncertain).toBeUndefined();
  expect(it.types()).toEqual(['post.updated', 'post.updated']);
  // The same edit again is another attempt.
  await it.edit({ text: 'After' });
  await it.work();
  expect((await it.first()).parts[0]?.text).toBe('After');
});

test('an edit that was not sent is repeated as the platform directs, for an hour', async () => {
  const it = await scene();
  it.answers.push({ takesEffect: false, code: 'platform.rate_limited', retryAfterSeconds: 60 });
  await it.edit({ text: 'After' });
  await it.work();
  expect((await it.first()).error?.code).toBe('platform.rate_limited');
  it.clock.advance(59_000);
  expect(await it.work()).toBe(0);
  it.clock.advance(1000);
  expect(await it.work()).toBe(1);
  expect(await it.first()).toMatchObject({ edit: null, error: null, parts: [{ text: 'After' }] });

  it.answers.push({ takesEffect: false, code: 'platform.unavailable' });
  await it.edit({ text: 'Later' });
  await it.work();
  it.clock.advance(HOUR_MS + 1);
  await it.work();
  expect(await it.first()).toMatchObject({ edit: null, error: { code: 'platform.unavailable' } });
  expect(it.shown.get('post 0')).toBe('After');
});

describe('two edits at once', () => {
  test('the same edit twice is one edit', async () => {
    const it = await scene();
    await it.edit({ text: 'After' });
    const { version } = await it.read();
    expect(codeOf(await it.edit({ text: 'After' }))).toBe('ok');
    expect((await it.read()).version).toBe(version);
    await it.work();
    expect(it.sent).toEqual(['post 0: After']);
    expect(codeOf(await it.edit({ text: 'After' }))).toBe('ok');
    expect(await it.work()).toBe(0);
  });

  test('a later edit replaces one of which nothing was sent', async () => {
    const it = await scene();
    await it.edit({ text: 'After' });
    const [claimed] = await claimEdits(it.ports, 1);
    await it.edit({ text: 'Last' });
    // The worker that claimed the first one sends nothing.
    if (claimed) await applyEdit(it.ports, claimed, never);
    expect(it.sent).toEqual([]);
    await it.work();
    expect(it.sent).toEqual(['post 0: Last']);
    expect((await it.first()).parts[0]?.text).toBe('Last');
  });

  test('restoring the published text ends an edit of which nothing was sent', async () => {
    const it = await scene();
    await it.edit({ text: 'After' });
    await it.edit({ text: 'Before' });
    expect(await it.work()).toBe(0);
    expect((await it.first()).edit).toBeNull();
  });

  test('another edit is refused while the outcome of one is unknown', async () => {
    const it = await scene();
    it.answers.push({ takesEffect: true, code: 'platform.outcome_unknown' });
    await it.edit({ text: 'After' });
    await it.work();
    expect(codeOf(await it.edit({ text: 'Last' }))).toBe('post.outcome_unknown');
    expect(codeOf(await it.edit({ text: 'Before' }))).toBe('post.outcome_unknown');
    it.clock.advance(5000);
    await it.work();
    expect(codeOf(await it.edit({ text: 'Last' }))).toBe('ok');
    await it.work();
    expect(it.shown.get('post 0')).toBe('Last');
  });
});

test('a deletion during an edit wins: the part is deleted, and no edit is recorded', async () => {
  const it = await scene();
  it.answers.push({
    takesEffect: true,
    duringRequest: () => unpublishPost(it.ports, it.call(), { id: it.post.id }),
  });
  await it.edit({ text: 'After' });
  await it.work();
  expect(await it.first()).toMatchObject({
    status: 'deleted',
    edit: null,
    parts: [{ status: 'deleted', text: 'Before' }],
  });
  expect(await it.work()).toBe(0);
});

test('an edit does not bypass an approval that the key needs to publish', async () => {
  const it = await scene();
  const approval = { posts: 'always', refundsOver: [], expiresInHours: 72 } as const;
  const result = await it.edit({ text: 'After' }, it.call({}, { approval }));
  expect(codeOf(result)).toBe('approval.required');
  expect((await it.first()).edit).toBeNull();
  expect((await it.read()).text).toBe('Before');
});

test('while publishing is paused, an edit is held and nothing is sent', async () => {
  const it = await scene();
  const [connection] = it.connections;
  if (!connection) throw new Error('no connection');
  const pause = { cause: 'requested', reason: null, by: 'key', at: it.clock.now() } as const;
  await it.edit({ text: 'After' });
  await it.repositories.connections.update(connection.workspaceId, connection.id, { pause });
  expect(await it.work()).toBe(0);
  expect(isEditing(await it.read())).toBe(false);
  await it.repositories.connections.update(connection.workspaceId, connection.id, { pause: null });
  expect(await it.work()).toBe(1);
  expect(it.shown.get('post 0')).toBe('After');
});

test('an account that must be reconnected refuses an edit, and one that expires before it is made delays it', async () => {
  const it = await scene();
  const [connection] = it.connections;
  if (!connection) throw new Error('no connection');
  const become = (status: 'active' | 'needs_reauth') =>
    it.repositories.connections.update(connection.workspaceId, connection.id, { status });
  await become('needs_reauth');
  expect(await it.edit({ text: 'After' })).toMatchObject({
    ok: false,
    failure: { code: 'post.invalid', problems: [{ code: 'connection.needs_reauth' }] },
  });
  await become('active');
  await it.edit({ text: 'After' });
  await become('needs_reauth');
  await it.work();
  expect(it.sent).toEqual([]);
  expect((await it.first()).error?.code).toBe('connection.needs_reauth');
  await become('active');
  it.clock.advance(60_000);
  await it.work();
  expect(it.shown.get('post 0')).toBe('After');
});

describe('a post on several platforms', () => {
  const keeps = () => memorySocial({ id: 'keeps' });

  test('is not edited at all when one of them cannot edit, and each such delivery says what to do', async () => {
    const platform = editableSocial();
    const it = await scene(platform, { socials: [platform.social, keeps()] });
    const refused = await it.edit({ text: 'After' });
    expect(refused).toMatchObject({
      ok: false,
      failure: {
        code: 'post.edit_unsupported',
        problems: [
          {
            path: 'deliveries.1',
            code: 'post.edit_unsupported',
            message: expect.stringMatching(/keeps cannot edit .* Unpublish this delivery/),
          },
        ],
      },
    });
    expect(await it.work()).toBe(0);
    expect((await it.read()).text).toBe('Before');
  });

  test('is edited on the named accounts alone, and the request says so', async () => {
    const platform = editableSocial();
    const it = await scene(platform, { socials: [platform.social, keeps()] });
    const edited = await it.edit({ targets: [{ platform: 'edits', text: 'After' }] });
    expect(edited).toMatchObject({
      ok: true,
      value: {
        text: 'Before',
        requested: {
          targets: [
            { connectionId: it.connections[0]?.id, text: 'After' },
            { connectionId: it.connections[1]?.id },
          ],
        },
      },
    });
    await it.work();
    expect(it.sent).toEqual(['post 0: After']);
    expect((await it.read()).deliveries.map(({ parts }) => parts[0]?.text)).toEqual(['After', 'Before']);
  });

  test('that failed on one of them is changed there too, and a retry sends the new text', async () => {
    const platform = editableSocial();
    const it = await scene(platform, {
      socials: [platform.social, keeps()],
      statuses: ['published', 'failed'],
    });
    expect(codeOf(await it.edit({ text: 'After' }))).toBe('ok');
    await it.work();
    const [, failed] = (await it.read()).deliveries;
    expect(failed).toMatchObject({
      status: 'failed',
      edit: null,
      parts: [{ text: 'After', status: 'pending' }],
    });
  });

  test.each(['sending', 'unknown', 'needs_review', 'retrying'] as const)(
    'is refused while a delivery is %s',
    async (status) => {
      const platform = editableSocial();
      const it = await scene(platform, {
        socials: [platform.social, keeps()],
        statuses: ['published', status],
      });
      expect(codeOf(await it.edit({ text: 'After' }))).toBe('post.outcome_unknown');
      expect(codeOf(await it.edit({ targets: [{ platform: 'edits', text: 'After' }] }))).toBe('ok');
    },
  );
});

test.each([
  ['the media', { media: [{ url: 'https://example.com/a.png' }] }, 'media'],
  ['the time', { scheduledAt: '2027-01-01T09:00:00Z' }, 'scheduled_at'],
  ['the number of replies', { thread: [{ text: 'One more' }] }, 'thread'],
  ['options', { targets: [{ platform: 'edits', options: { board: 'x' } }] }, 'targets.0.options'],
] as const)('an edit of %s is refused before anything is stored', async (_, command, path) => {
  const it = await scene();
  expect(await it.edit(command)).toMatchObject({
    ok: false,
    failure: { code: 'post.edit_unsupported', problems: [{ path }] },
  });
});

test('the new text is validated as for publishing, and by the rules of an edit', async () => {
  const checkEdit = () => [
    { path: 'text', code: 'post.edit_unsupported' as const, message: 'Not this one.' },
  ];
  const it = await scene(editableSocial({ checkEdit }));
  expect(codeOf(await it.edit({ text: 'After' }))).toBe('post.edit_unsupported');
  const other = await scene();
  expect(await other.edit({ text: 'This is far too long for it.' })).toMatchObject({
    ok: false,
    failure: { code: 'post.invalid', problems: [{ path: 'text', code: 'text.too_long' }] },
  });
});

test('what was deleted or has nothing published is not edited', async () => {
  expect(codeOf(await (await scene(undefined, { statuses: ['deleted'] })).edit({ text: 'After' }))).toBe(
    'post.edit_unsupported',
  );
  expect(codeOf(await (await scene(undefined, { statuses: ['failed'] })).edit({ text: 'After' }))).toBe(
    'post.edit_unsupported',
  );
});

test('a key reaches only the posts of its profiles', async () => {
  const it = await scene();
  const elsewhere = it.build.profile(it.workspace);
  const result = await it.edit({ text: 'After' }, it.call({}, { profileIds: [elsewhere.id] }));
  expect(codeOf(result)).toBe('post.not_found');
});
