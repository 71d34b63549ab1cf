import { describe, expect, test } from '@jest/globals';
import { isCurrency } from '@switchboard/domain';
import { metricNames, type Metrics } from '@switchboard/domain/analytics';
import type { ListedPost, ListedPostsPage, PartDraft, Publishing } from '@switchboard/domain/ports';
import { buildItem, trackReceipt, discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';
import { editingContract } from './editing-contract.js';
import { existenceContract } from './existence-contract.js';
import { publishedUrlContract } from './published-url-contract.js';
import { mediaContract } from './media-contract.js';
import { optionsContract } from './options-contract.js';
import { partsContract } from './parts-contract.js';
import { isUndecided } from './publish-until-confirmed.js';
import { quotasContract } from './quotas-contract.js';
import { requestContentContract } from './request-content-contract.js';
import { imageOf } from './test-media.js';
import { lookupOf } from './world.js';

/**
 * One of each kind that platforms count differently: a letter, a letter with a combining accent, an
 * ideograph, a family emoji.
 */
const sampleCharacters = ['a', 'e\u0301', '漢', '🦋', '👨‍👩‍👧‍👦'];

export function publishingContract(bench: ContractContext, publishing: Publishing): void {
  const { platform, world, open, value, code, post } = bench;
  const find = publishing.find?.bind(publishing);
  const remove = publishing.remove?.bind(publishing);
  const max = platform.manifest.text?.max ?? 0;
  const fits = (draft: PartDraft) =>
    publishing.count(publishing.finalText(draft)) <= max && (publishing.check?.(draft) ?? []).length === 0;

  describe.each(sampleCharacters)('a text of %j', (letter) => {
    const text = (units: number) => {
      const times = Math.floor(units / publishing.count(letter));
      return letter.repeat(times) + 'a'.repeat(units - times * publishing.count(letter));
    };
    const longest = [max, Math.floor(max / 3)].map(text).find((one) => fits(post(one))) ?? 'a';

    test('is published at the maximum length', async () => {
      const item = post(longest);
      const posted = value(await publishing.publish(open(), item, discardReceipt));
      expect(await world().textOf(posted.externalId)).toBe(publishing.finalText(item));
    });

    test('is rejected by the rules before any request when it has one more', () => {
      const before = world().requests();
      expect(fits(post(`${text(max)}a`))).toBe(false);
      expect(world().requests()).toBe(before);
    });

    test('is also refused by the platform when the rules reject it', async () => {
      const before = world().effects();
      const refused = await publishing.publish(open(), post(`${text(max)}a`), discardReceipt);
      expect(code(refused)).toBe('platform.refused');
      expect(!refused.ok && refused.failure.platform?.name).toBe(platform.manifest.name);
      expect(world().effects()).toBe(before);
    });
  });

  test('a link is published with the text', async () => {
    const item = post('Read this', { link: 'https://example.com/a?b=c#d' });
    const posted = value(await publishing.publish(open(), item, discardReceipt));
    expect(await world().textOf(posted.externalId)).toBe(publishing.finalText(item));
  });

  for (const how of ['500-after', 'reset-after-effect', '2xx-truncated', '2xx-no-id', 'garbage'] as const) {
    test(`a post whose response is lost to a ${how} has an unknown outcome and is published once`, async () => {
      const item = post(`Lost to ${how}`);
      const { saveReceipt, readBack } = trackReceipt(item);
      const before = world().effects();
      world().break(how, world().requestsBefore?.post);
      expect(code(await publishing.publish(open(), item, saveReceipt))).toBe('platform.outcome_unknown');
      expect(world().effects()).toBe(before + 1);
      if (!find) return;
      const found = value(await find(open(), readBack()));
      expect(await world().textOf(found?.externalId ?? '')).toBe(publishing.finalText(item));
    });
  }

  test('a post whose request was lost is not found, and can be sent again', async () => {
    const item = post('Lost on the way');
    const { saveReceipt, again, readBack } = trackReceipt(item);
    const before = world().effects();
    world().break('reset-before-effect', world().requestsBefore?.post);
    expect(code(await publishing.publish(open(), item, saveReceipt))).toBe('platform.outcome_unknown');
    if (find && world().absenceProvesNothing === true) {
      expect(isUndecided(code(await find(open(), readBack())))).toBe(true);
    } else if (find) expect(value(await find(open(), readBack()))).toBeNull();
    const posted = value(await publishing.publish(open(), again(), saveReceipt));
    expect(world().effects()).toBe(before + 1);
    if (find) expect(value(await find(open(), readBack()))).toEqual(posted);
  });

  if (find) {
    test('a post that another installation published since the receipt was stored is never reported absent', async () => {
      const item = post('Published elsewhere');
      const posted = value(await publishing.publish(open(), item, discardReceipt));
      const found = await find(open(), { ...item, media: [], receipt: {}, isReceiptOutdated: true });
      if (found.ok) expect(found.value?.externalId).toBe(posted.externalId);
      else expect(isUndecided(code(found))).toBe(true);
    });
  }

  if (remove) {
    test('a post can be removed, and removing it again succeeds', async () => {
      const item = post('For a moment');
      const posted = value(await publishing.publish(open(), item, discardReceipt));
      expect(code(await remove(open(), posted))).toBe('ok');
      if (find) expect(value(await find(open(), item))).toBeNull();
      expect(code(await remove(open(), posted))).toBe('ok');
    });
  }

  costContract(publishing);
  titlesContract(bench, publishing);
  cardsContract(bench, publishing);
  partsContract(bench, publishing);
  if (platform.manifest.media) mediaContract(bench, publishing, platform.manifest.media);
  if (publishing.options) optionsContract(bench, publishing);
  if (publishing.quotas) quotasContract(bench, publishing);
  requestContentContract(bench, publishing);
  editingContract(bench, publishing);
  existenceContract(bench, publishing);
  publishedUrlContract(bench, publishing);
  if (platform.analytics) analyticsContract(bench, publishing, platform.analytics);
}

/** The cost of a part is a fact: in one currency and never negative. */
function costContract(publishing: Publishing): void {
  if (!publishing.cost) return;
  test('the cost of a part is not negative and all costs have one currency', () => {
    const drafts = [
      buildItem('Plain'),
      buildItem('With a link', { link: 'https://example.com/' }),
      buildItem('With https://example.com/ within'),
      buildItem('With images', { mediaCount: 2 }),
      buildItem('Below it', { kind: 'thread' }),
      buildItem('Below it', { kind: 'comment' }),
    ];
    const prices = drafts.flatMap((draft) => publishing.cost?.(draft) ?? []);
    expect(prices.filter(({ amountMicros: micros }) => !Number.isSafeInteger(micros) || micros < 0)).toEqual(
      [],
    );
    expect(new Set(prices.map(({ currency }) => currency)).size).toBe(1);
    expect(prices.map(({ currency }) => currency).every(isCurrency)).toBe(true);
  });
}

function titlesContract(
  { platform, world, open, value, code, post }: ContractContext,
  publishing: Publishing,
): void {
  const { title } = platform.manifest;
  if (!title) return;

  test('a title is published at the maximum length and refused by the platform above it', async () => {
    const longest = post('Below a title', { title: '漢'.repeat(title.max) });
    const posted = value(await publishing.publish(open(), longest, discardReceipt));
    expect(await lookupOf(world(), 'titleOf')(posted.externalId)).toBe(longest.title);
    const effects = world().effects();
    const longer = post('Below a title', { title: `${longest.title}漢` });
    expect(code(await publishing.publish(open(), longer, discardReceipt))).toBe('platform.refused');
    expect(world().effects()).toBe(effects);
  });

  test(`a post without a title is ${title.required ? 'refused by the platform' : 'published'}`, async () => {
    const posted = await publishing.publish(open(), post('No title', { title: null }), discardReceipt);
    expect(code(posted)).toBe(title.required ? 'platform.refused' : 'ok');
  });
}

function cardsContract(
  { platform, world, open, value, post }: ContractContext,
  publishing: Publishing,
): void {
  if (!platform.manifest.linkCards) return;
  const words = { url: 'https://example.com/page', title: 'A page', description: 'What it is about.' };
  test.each([
    ['with', imageOf()],
    ['without', null],
  ])('a link is shown as a card, %s an image', async (_, image) => {
    const item = post('Read this', { link: words.url, card: { ...words, image } });
    const posted = value(await publishing.publish(open(), item, discardReceipt));
    expect(await lookupOf(world(), 'cardOf')(posted.externalId)).toEqual(words);
  });
}

function analyticsContract(
  { platform, world, open, value, post }: ContractContext,
  publishing: Publishing,
  analytics: NonNullable<ContractContext['platform']['analytics']>,
): void {
  const expectNamedMetrics = (subject: 'post' | 'account', metrics: Metrics | undefined) => {
    const named = platform.manifest.metrics
      .filter((fact) => fact.subject === subject && !world().missingMetrics?.includes(fact.metric))
      .map((fact) => fact.metric);
    for (const name of metricNames) {
      const expected = named.includes(name) ? 'number' : 'object';
      expect([name, typeof metrics?.[name]]).toEqual([name, expected]);
    }
  };

  const ofPosts = analytics.ofPosts?.bind(analytics);
  if (ofPosts) {
    test('a post has the metrics that the manifest names and null for every other', async () => {
      const posted = value(
        await publishing.publish(open(), post('Count me', { link: 'https://example.com/' }), discardReceipt),
      );
      const metrics = value(await ofPosts(open(), [posted.externalId])).get(posted.externalId);
      expectNamedMetrics('post', metrics);
    });

    test('a post that is gone has no metrics', async () => {
      const gone = value(await publishing.publish(open(), post('Gone'), discardReceipt));
      if (publishing.remove) value(await publishing.remove(open(), gone));
      const stored = value(await publishing.publish(open(), post('Kept'), discardReceipt)).externalId;
      const found = value(await ofPosts(open(), [gone.externalId, stored]));
      expect(new Set(found.keys())).toEqual(
        new Set(publishing.remove ? [stored] : [gone.externalId, stored]),
      );
    });
  }

  const listPosts = analytics.listPosts?.bind(analytics);
  if (listPosts) {
    test('the account’s posts are listed newest first, each once, under the IDs that publishing returns', async () => {
      const sent: string[] = [];
      for (const text of ['First of the list', 'Last of the list']) {
        const posted = value(await publishing.publish(open(), post(text), discardReceipt));
        const located = await publishing.resolvePublishedUrl?.(open(), posted);
        sent.unshift((located && value(located)?.externalId) ?? posted.externalId);
      }
      const listed: ListedPost[] = [];
      let cursor: string | null = null;
      do {
        const page: ListedPostsPage = value(await listPosts(open(), { cursor, since: null }));
        expect(page.posts.length).toBeLessThanOrEqual(platform.manifest.postList?.postsPerPage ?? 0);
        listed.push(...page.posts);
        cursor = page.next;
      } while (cursor !== null);
      const ids = listed.map(({ externalId }) => externalId);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => sent.includes(id)).sort()).toEqual([...sent].sort());
      const times = listed.map(({ publishedAt }) => publishedAt.getTime());
      expect(times).toEqual([...times].sort((a, b) => b - a));
      const counted: ReadonlyMap<string, Metrics> = ofPosts ? value(await ofPosts(open(), sent)) : new Map();
      for (const { externalId, text, metrics } of listed.filter((one) => sent.includes(one.externalId))) {
        expect(text).not.toBe('');
        if (metrics) expect(metrics).toEqual(counted.get(externalId));
      }
    });
    if (platform.manifest.thread) {
      test('a reply is not listed', async () => {
        const first = value(await publishing.publish(open(), post('Has a reply'), discardReceipt));
        const replyTo = { root: first, parent: first };
        const reply = value(
          await publishing.publish(open(), post('Is a reply', { replyTo }), discardReceipt),
        );
        const { posts } = value(await listPosts(open(), { cursor: null, since: null }));
        expect(posts.map(({ externalId }) => externalId)).not.toContain(reply.externalId);
      });
    }
  }

  const ofDays = analytics.ofDays?.bind(analytics);
  if (ofDays) {
    test('the days of the account have the metrics that the manifest names and null for every other', async () => {
      const range = { from: '2026-11-01', to: '2026-11-07' };
      const days = value(await ofDays(open(), range));
      const dates = days.map(({ date }) => date);
      expect(dates.length).toBeGreaterThan(0);
      expect(new Set(dates).size).toBe(dates.length);
      expect(dates.filter((date) => date < range.from || date > range.to)).toEqual([]);
      for (const { metrics } of days) expectNamedMetrics('account', metrics);
    });
  }

  if (analytics.ofAccount) {
    const ofAccount = analytics.ofAccount.bind(analytics);
    test('the account has the metrics that the manifest names and null for every other', async () => {
      expectNamedMetrics('account', value(await ofAccount(open())));
    });
  }
}
