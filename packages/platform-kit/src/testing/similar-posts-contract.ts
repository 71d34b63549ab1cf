import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Platform, PublishedPart, PublishItem, Publishing } from '@switchboard/domain/ports';
import { createContractContext, type ContractContext } from './contract-context.js';
import { trackReceipt, discardReceipt } from './calls.js';
import { isUndecided } from './publish-until-confirmed.js';
import { imageOf } from './test-media.js';
import type { World } from './world.js';

type PostDifference = Partial<PublishItem>;
type Kind = PublishItem['kind'];

/**
 * Two posts, or two parts below a post, that differ in exactly one respect. A text is appended to the text
 * that both have.
 */
interface SimilarPostCase {
  readonly name: string;
  /**
   * A part of a thread or a first comment is lost below a post that has a similar one; default: the post
   * itself is lost.
   */
  readonly kind?: Exclude<Kind, 'post'>;
  readonly own: PostDifference;
  readonly rival: PostDifference;
  /** An option of which the two have different values, or which only the rival has. */
  readonly option?: { readonly name: string; readonly isOwn: boolean };
}

/** A similar post of the account is never mistaken for the post and never hides it. */
export function similarPostsContract(
  platform: Platform,
  publishing: Publishing,
  start: () => Promise<World>,
  connectMethod: string,
): void {
  if (!publishing.find) return;
  // A separate world for each test: with more posts than `find` searches, it would prove nothing.
  let running: World | undefined;
  const bench = createContractContext(platform, () => running, connectMethod);
  const rivalries = similarPostCases(bench);
  describe('a similar post that differs only in', () => {
    beforeEach(async () => {
      running = await start();
    });
    afterEach(async () => {
      await running?.close();
      running = undefined;
    });

    test('the fields that the platform does not return are declared under the names varied here', () => {
      const names = rivalries.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(Object.keys(bench.world().notReadBack ?? {})));
    });
    for (const rivalry of rivalries) {
      test(`${rivalry.name} is not mistaken for the lost post`, async () => {
        const violations = [
          await similarPostViolation(bench, publishing, rivalry, 'reset-before-effect'),
          await similarPostViolation(bench, publishing, rivalry, 'reset-after-effect'),
        ].filter((violation) => violation !== null);
        // A field that the platform does not return cannot be compared: even then nothing is sent a second
        // time.
        const isUnreadable = bench.world().notReadBack?.[rivalry.name] !== undefined;
        expect(violations.filter((violation) => !isUnreadable || violation !== FINDS_SIMILAR)).toEqual([]);
        if (isUnreadable) expect(violations).toContain(FINDS_SIMILAR);
      });
    }
  });
}

const FINDS_SIMILAR = 'finds the similar post';

/** The wrong claim of `find` about the lost post next to its rival; null if there is none. */
export async function similarPostViolation(
  bench: ContractContext,
  publishing: Publishing,
  rivalry: SimilarPostCase,
  how: 'reset-before-effect' | 'reset-after-effect',
): Promise<string | null> {
  const { world, open, value, code } = bench;
  const [own, rival] = await resolveDifference(bench, publishing, rivalry);
  const [image] = own.media ?? [];
  const counted = image?.kind === 'image' ? { ...own, media: [imageOf({ type: image.type })] } : own;
  const before = await requestsBefore(bench, publishing, rivalry, counted);

  const words = `Alike No. ${++texts}`;
  const publish = async (item: PublishItem) => value(await publishing.publish(open(), item, discardReceipt));
  const { item, parents } = await placed(bench, publishing, rivalry, words, own);
  const others: PublishedPart[] = [];
  for (const answers of parents)
    others.push(await publish(saying(bench, words, { ...rival, replyTo: answers })));
  const { saveReceipt, readBack } = trackReceipt(item);
  world().break(how, before);
  const effects = world().effects();
  const sent = await publishing.publish(open(), item, saveReceipt);
  world().repair();
  const isOut = world().effects() > effects;
  if (sent.ok || isOut !== (how === 'reset-after-effect')) return `was not lost to a ${how}: ${code(sent)}`;
  const found = await publishing.find?.(open(), readBack());
  if (!found || isUndecided(code(found))) return null;
  const part = value(found);
  if (others.some(({ externalId }) => part?.externalId === externalId)) return FINDS_SIMILAR;
  if (isOut && part === null) return 'reports the absence of what is published';
  return !isOut && part !== null ? 'finds what was never published' : null;
}

let texts = 0;

const saying = ({ post }: ContractContext, words: string, { text, ...more }: PostDifference): PublishItem =>
  post(text === undefined ? words : `${words} ${text}`, more);

/** The item, and the posts that its rivals reply to: for a part the same post, and that post's rival. */
async function placed(
  bench: ContractContext,
  publishing: Publishing,
  { kind }: SimilarPostCase,
  words: string,
  content: PostDifference,
): Promise<{ readonly item: PublishItem; readonly parents: readonly PublishItem['replyTo'][] }> {
  if (kind === undefined) return { item: saying(bench, words, content), parents: [null] };
  const { open, post, value } = bench;
  const parents = [];
  for (const root of [post(`Above ${words}`), post(`Above ${words}`)]) {
    const part = value(await publishing.publish(open(), root, discardReceipt));
    parents.push({ root: part, parent: part });
  }
  const [answers = null] = parents;
  return { item: saying(bench, words, { ...content, kind, replyTo: answers }), parents };
}

/** The difference of the two, with the context that the option requires, such as a video. */
async function resolveDifference(
  { platform, world, open }: ContractContext,
  publishing: Publishing,
  { kind, own, rival, option }: SimilarPostCase,
): Promise<readonly [PostDifference, PostDifference]> {
  if (!option) return [own, { ...rival, ...(kind && { kind }) }];
  const { name } = option;
  const fact = platform.manifest.options.find((one) => one.name === name);
  const requested = await publishing.options?.(open());
  const listed = requested?.ok
    ? requested.value.options?.find((one) => one.name === name)?.choices
    : undefined;
  const choices = fact?.choices ?? (fact?.type === 'choice' ? listed : undefined);
  const values: readonly unknown[] =
    choices?.map((one) => one.value) ?? world().optionSamples?.[name] ?? samples[fact?.type ?? 'string'];
  const remaining = world().optionDefaults?.[name];
  const [one, two] = option.isOwn ? values : [undefined, values.find((known) => known !== remaining)];
  if (two === undefined || (option.isOwn && one === undefined)) {
    throw new Error(`the world knows fewer than two values of ${name}`);
  }
  const { options: neededOptions, ...needed } = world().optionContent?.[name]?.() ?? {};
  const withValue = (known: unknown): PostDifference => ({
    ...needed,
    options: { ...neededOptions, ...(known !== undefined && { [name]: known }) },
  });
  return [withValue(one), withValue(two)];
}

/** For options whose values are not listed. */
const samples = {
  boolean: [true, false],
  string: ['one', 'two'],
  string_list: [['one'], ['two']],
  choice: [],
};

/** The number of requests before the one that publishes, counted on an item of the same kind. */
async function requestsBefore(
  bench: ContractContext,
  publishing: Publishing,
  rivalry: SimilarPostCase,
  content: PostDifference,
): Promise<number> {
  const { world, open, value } = bench;
  const { item } = await placed(bench, publishing, rivalry, `Counted No. ${++texts}`, content);
  const [effects, requests] = [world().effects(), world().requests()];
  let before = 0;
  const session = open();
  const counting = {
    ...session,
    async request(request: Parameters<typeof session.request>[0]) {
      const response = await session.request(request);
      if (world().effects() === effects) before = world().requests() - requests;
      return response;
    },
  };
  value(await publishing.publish(counting, item, discardReceipt));
  return before;
}

/** The differences that the manifest permits in posts, parts of threads and first comments. */
export function similarPostCases({ platform }: ContractContext): readonly SimilarPostCase[] {
  const { title, media, options, thread, firstComment } = platform.manifest;
  const type = media?.images && !media.images.coverOnly ? media.images.types[0] : undefined;
  const [one, two] = ['https://example.com/one', 'https://example.com/two'];
  // Padded to distinct lengths: samples of one type have the same bytes.
  const [own, rival] =
    type === undefined ? [] : [4_001, 4_002].map((bytes) => ({ media: [imageOf({ type, bytes })] }));
  const below = (kind: 'thread' | 'comment', called: string): readonly SimilarPostCase[] => [
    { name: `the words of ${called}`, kind, own: { text: 'one' }, rival: { text: 'two' } },
    { name: `the link in ${called}`, kind, own: { text: one }, rival: { text: two } },
    { name: `a link below ${called}`, kind, own: {}, rival: { text: two } },
    ...(kind === 'thread' && own && rival ? [{ name: `the image of ${called}`, kind, own, rival }] : []),
  ];
  return [
    { name: 'its link', own: { link: one }, rival: { link: two } },
    { name: 'having no link', own: {}, rival: { link: two } },
    ...(title ? [{ name: 'its title', own: { title: 'One title' }, rival: { title: 'Two titles' } }] : []),
    ...(own && rival ? [{ name: 'its image', own, rival }] : []),
    ...options.flatMap(({ name, type, required }): readonly SimilarPostCase[] => [
      { name: `its option ${name}`, own: {}, rival: {}, option: { name, isOwn: true } },
      ...(type === 'boolean' || required
        ? []
        : [{ name: `having no option ${name}`, own: {}, rival: {}, option: { name, isOwn: false } }]),
    ]),
    ...(thread ? below('thread', 'a part of a thread') : []),
    ...(firstComment ? below('comment', 'a first comment') : []),
  ];
}
