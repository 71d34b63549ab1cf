import { describe, expect, test } from '@jest/globals';
import { memorySocial } from '../../testing/environment/memory-social.js';
import { createTestEnvironment } from '../../testing/environment/test-environment.js';
import { virtualClock } from '../../testing/stores/virtual-clock.js';
import { refuse, type Problem } from '../failure.js';
import type { Publishing, PublishOption, Quota } from '../ports/index.js';
import { price } from '../price.js';
import { ok } from '../result.js';
import { createPost } from './create-post.js';
import type { DraftPost } from './draft-post.js';
import { validatePost } from './validate-post.js';

describe('the cost of a post', () => {
  const perPost = price(15_000, 'USD');
  const withLink = price(200_000, 'USD');
  const dear = memorySocial({ cost: ({ link }) => (link === null ? perPost : withLink) });

  async function costs(social: ReturnType<typeof memorySocial>, draft: DraftPost) {
    const it = await createTestEnvironment([social]);
    await it.connect();
    const validated = await validatePost(it.ports, it.call(), draft);
    if (!validated.ok) throw new Error(validated.failure.code);
    return validated.value.targets.map(({ cost }) => cost);
  }

  test('is the sum over its parts, each by its content', async () => {
    expect(await costs(dear, { text: 'One' })).toEqual([perPost]);
    const thread = [{ text: 'Two' }, { text: 'Three' }];
    expect(await costs(dear, { text: 'One', thread })).toEqual([price(45_000, 'USD')]);
    const long = { text: 'One', link: 'https://a', thread, firstComment: { text: 'Four' } };
    expect(await costs(dear, long)).toEqual([price(245_000, 'USD')]);
  });

  test('is null where the platform charges nothing', async () => {
    expect(await costs(memorySocial(), { text: 'One' })).toEqual([null]);
    expect(await costs(memorySocial({ cost: () => null }), { text: 'One' })).toEqual([null]);
  });
});

test('content that a platform rejects for one account may be accepted for another', async () => {
  const problem: Problem = { path: 'text', code: 'text.too_long', message: 'Not for this account.' };
  const it = await createTestEnvironment([
    memorySocial({ check: (_draft, _limits, id) => (id === 'page' ? [problem] : []) }),
  ]);
  const problemsOf = async (accountId: string) => {
    const { account } = await it.connect();
    const { id } = await it.connect({ account: { ...account, id: accountId } });
    const draft = { text: 'One', targets: [{ connectionId: id }] };
    const validated = await validatePost(it.ports, it.call(), draft);
    return validated.ok && validated.value.targets.map(({ problems }) => problems.map(({ code }) => code));
  };
  expect(await problemsOf('page')).toEqual([['text.too_long']]);
  expect(await problemsOf('member')).toEqual([[]]);
});

test('a duplicate that creation would refuse is a warning with the id of the post (finding 43)', async () => {
  const it = await createTestEnvironment();
  await it.connect();
  const draft: DraftPost = { text: 'One' };
  const created = await it.atomic((ports) => createPost(ports, it.call(), draft));
  const warnings = async (more: Partial<DraftPost> = {}) => {
    const validated = await validatePost(it.ports, it.call(), { ...draft, ...more });
    return validated.ok && [validated.value.valid, validated.value.targets[0]?.warnings];
  };
  expect(await warnings()).toMatchObject([
    true,
    [{ path: 'targets', code: 'post.possible_duplicate', details: { id: created.ok && created.value.id } }],
  ]);
  expect(await warnings({ allowDuplicate: true })).toEqual([true, []]);
  expect(await warnings({ text: 'Two' })).toEqual([true, []]);
  expect(await warnings({ scheduledAt: it.clock.after(25 * 3_600_000).toISOString() })).toEqual([true, []]);
});

describe('the remaining quota', () => {
  const posts: Quota = { name: 'posts', used: 23, limit: 25, resetsAt: null, usedBy: ['post'] };
  const replies: Quota = { ...posts, name: 'replies', used: 24, usedBy: ['thread', 'comment'] };
  const thread = [{ text: 'Two' }, { text: 'Three' }];
  const counting = (...quotas: readonly Quota[]) => memorySocial({ quotas: async () => ok(quotas) });

  async function scene(...socials: readonly ReturnType<typeof memorySocial>[]) {
    const it = await createTestEnvironment(socials);
    const ports = { ...it.ports, clock: virtualClock() };
    const validate = async (draft: Partial<DraftPost> = {}) => {
      const validated = await validatePost(ports, it.call(), { text: 'One', ...draft });
      if (!validated.ok) throw new Error(validated.failure.code);
      return validated.value;
    };
    return { ...it, validate };
  }

  test('is the minimum of those that the post uses, regardless of the others', async () => {
    const it = await scene(counting(posts, replies));
    await it.connect();
    expect(await it.validate()).toMatchObject({ valid: true, targets: [{ quotaLeft: 2, problems: [] }] });
    const commented = await it.validate({ firstComment: { text: 'Two' } });
    expect(commented).toMatchObject({ valid: true, targets: [{ quotaLeft: 1, problems: [] }] });
  });

  test('is a problem for a post that needs more, reported at its target', async () => {
    const it = await scene(counting(posts, replies), memorySocial({ id: 'other' }));
    const { id: connectionId } = await it.connect();
    const other = await it.connect({ platform: 'other' });
    const targets = [{ connectionId: other.id }, { connectionId }];
    expect(await it.validate({ thread, targets })).toMatchObject({
      valid: false,
      targets: [
        { quotaLeft: null, problems: [], warnings: [] },
        {
          quotaLeft: 1,
          problems: [
            {
              path: 'targets.1',
              code: 'quota.exceeded',
              message: 'The account has 1 of its 25 replies left; this post needs 2.',
            },
          ],
          warnings: [],
        },
      ],
    });
  });

  test('is never below zero, regardless of the usage', async () => {
    const it = await scene(counting({ ...posts, used: 30 }));
    await it.connect();
    expect(await it.validate()).toMatchObject({
      targets: [{ quotaLeft: 0, problems: [{ path: 'targets', code: 'quota.exceeded' }] }],
    });
  });

  const midnight = new Date('2026-03-03T00:00:00Z');
  test.each([
    ['that resets at midnight, for a post before it', midnight, '2026-03-02T23:59:59Z', 'problem'],
    ['that resets at midnight, for a post at midnight', midnight, '2026-03-03T00:00:00Z', 'nothing'],
    ['with a sliding window, for a post within a day', null, '2026-03-03T08:59:00Z', 'warning'],
    ['with a sliding window, for a post a day later', null, '2026-03-03T09:00:01Z', 'nothing'],
  ])('that is used up, %s', async (_, resetsAt, scheduledAt, expected) => {
    const it = await scene(counting({ ...posts, used: 25, resetsAt }));
    await it.connect();
    const { valid, targets } = await it.validate({ scheduledAt });
    const codes = targets.map(({ problems, warnings, quotaLeft }) => ({
      problems: problems.map(({ code }) => code),
      warnings: warnings.map(({ code }) => code),
      quotaLeft,
    }));
    const codesFor = (kind: string) => (kind === expected ? ['quota.exceeded'] : []);
    expect(codes).toEqual([{ problems: codesFor('problem'), warnings: codesFor('warning'), quotaLeft: 0 }]);
    expect(valid).toBe(expected !== 'problem');
  });

  test('is unknown for an account that fails or times out, and does not delay the others', async () => {
    const limited = memorySocial({
      id: 'limited',
      quotas: async () => refuse('platform.rate_limited', 'Later.'),
    });
    const silent = memorySocial({ id: 'silent', quotas: () => new Promise(() => undefined) });
    const it = await scene(limited, silent, counting(posts));
    for (const platform of ['limited', 'silent']) await it.connect({ platform });
    await it.connect();
    const { valid, targets } = await it.validate();
    expect(valid).toBe(true);
    expect(targets.map(({ quotaLeft }) => quotaLeft)).toEqual([null, null, 2]);
  });

  test('is not queried for an expired account', async () => {
    const it = await scene(counting({ ...posts, used: 25 }));
    const { id: connectionId } = await it.connect({ status: 'needs_reauth' });
    const { targets } = await it.validate({ targets: [{ connectionId }] });
    expect(targets.map(({ quotaLeft, problems }) => [quotaLeft, problems.map(({ code }) => code)])).toEqual([
      [null, ['connection.needs_reauth']],
    ]);
  });

  test('is queried with a session that is aborted when the caller stops waiting', async () => {
    let line: AbortSignal | undefined;
    const it = await scene(
      memorySocial({
        quotas: ({ signal }) => {
          line = signal;
          return new Promise(() => undefined);
        },
      }),
    );
    await it.connect();
    await it.validate();
    expect(line?.aborted).toBe(true);
  });
});

describe('a choice that only the account defines', () => {
  const board: PublishOption = { name: 'board', label: 'Board', type: 'choice', required: false };
  const visibility: PublishOption = {
    name: 'visibility',
    label: 'Visibility',
    type: 'choice',
    required: false,
    choices: [{ value: 'all', label: 'All' }],
  };
  const recipes = { value: 'b1', label: 'Recipes' };
  const kilns = { value: 'b2', label: 'Kilns and clay' };
  const offering = (
    fetchOptions: NonNullable<Publishing['options']>,
    more: Parameters<typeof memorySocial>[0] = {},
  ) => memorySocial({ ...more, manifest: { options: [board, visibility] }, options: fetchOptions });
  const having = (choices: PublishOption['choices'], more?: boolean) => async () =>
    ok({ options: [{ ...board, choices, more }] });

  async function validated(
    social: ReturnType<typeof memorySocial>,
    options: Readonly<Record<string, unknown>>,
    status: 'active' | 'needs_reauth' = 'active',
  ) {
    const it = await createTestEnvironment([social]);
    const { id: connectionId } = await it.connect({ status });
    const ports = { ...it.ports, clock: virtualClock() };
    const result = await validatePost(ports, it.call(), {
      text: 'One',
      targets: [{ connectionId, options }],
    });
    if (!result.ok) throw new Error(result.failure.code);
    const [target] = result.value.targets;
    if (!target) throw new Error('it has a target');
    return { valid: result.value.valid, ...target };
  }

  test('is a problem when the account does not have it, with its choices, best matches first', async () => {
    expect(await validated(offering(having([recipes, kilns])), { board: 'kilns' })).toMatchObject({
      valid: false,
      problems: [
        {
          path: 'targets.0.options.board',
          code: 'option.invalid',
          message: 'Board must be one of the account’s 2 values; candidates lists them.',
          candidates: [kilns, recipes],
        },
      ],
      warnings: [],
    });
    expect(await validated(offering(having([])), { board: 'b1' })).toMatchObject({
      valid: false,
      problems: [{ message: 'Board: the account has no choices.', candidates: [] }],
    });
  });

  test('is one problem, and not two, where the platform’s own rules reject it too', async () => {
    const rule: Problem = { path: 'options.board', code: 'option.invalid', message: 'This is no board.' };
    const social = offering(having([recipes]), { check: () => [rule] });
    const { problems } = await validated(social, { board: 'kilns' });
    expect(problems).toMatchObject([{ code: 'option.invalid', candidates: [recipes] }]);
  });

  test('is valid when the account has it', async () => {
    for (const more of [undefined, true]) {
      const fitting = await validated(offering(having([recipes, kilns], more)), { board: 'b2' });
      expect(fitting).toMatchObject({ valid: true, problems: [], warnings: [] });
    }
  });

  test('lists ten of many, and refers to the rest', async () => {
    const many = Array.from({ length: 11 }, (_, at) => ({ value: `b${at}`, label: `Board ${at}` }));
    const { problems } = await validated(offering(having(many)), { board: 'board 10' });
    expect(problems[0]?.candidates).toHaveLength(10);
    expect(problems[0]?.candidates?.[0]).toEqual({ value: 'b10', label: 'Board 10' });
    expect(problems[0]?.message).toContain(
      'Board must be one of the account’s 11 values; candidates lists some of them, its publishing options all.',
    );
  });

  test('causes only a warning where the account’s list is incomplete, and none where the label matches', async () => {
    const partly = offering(having([recipes, kilns], true));
    expect(await validated(partly, { board: 'Wheels' })).toMatchObject({
      valid: true,
      problems: [],
      warnings: [{ code: 'option.unlisted', candidates: [recipes, kilns] }],
    });
    expect(await validated(partly, { board: 'clay' })).toMatchObject({ valid: true, warnings: [] });
  });

  test.each([
    ['cannot be queried', async () => refuse('platform.rate_limited', 'Later.')],
    ['times out', () => new Promise<never>(() => undefined)],
  ] as const)(
    'causes only a warning when the account %s, whose quotas are still reported',
    async (_, fetchOptions) => {
      const quota: Quota = { name: 'posts', used: 3, limit: 5, resetsAt: null, usedBy: ['post'] };
      const social = offering(fetchOptions, { quotas: async () => ok([quota]) });
      expect(await validated(social, { board: 'b1' })).toMatchObject({
        valid: true,
        quotaLeft: 2,
        warnings: [{ path: 'targets.0.options.board', code: 'option.unchecked' }],
      });
    },
  );

  test('is queried only where one was set, and never for an expired account', async () => {
    const never = offering(() => {
      throw new Error('not expected to be queried');
    });
    expect(await validated(never, { visibility: 'all' })).toMatchObject({ valid: true, warnings: [] });
    expect(await validated(never, { board: '' })).toMatchObject({ problems: [{ code: 'option.invalid' }] });
    const { problems } = await validated(never, { board: 'b1' }, 'needs_reauth');
    expect(problems.map(({ code }) => code)).toEqual(['connection.needs_reauth']);
  });
});
