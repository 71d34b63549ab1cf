import { describe, expect, test } from '@jest/globals';
import type { PublishItem, Publishing, PublishOption } from '@switchboard/domain';
import type { Bench } from './bench.js';
import { memoryOf, nothingKept } from './calls.js';
import { isUndecided } from './send-until-out.js';
import { imageOf } from './test-media.js';

type Differing = Partial<PublishItem>;

/** Two posts that are alike but for one thing. */
export interface Rivalry {
  readonly name: string;
  readonly own: Differing;
  readonly rival: Differing;
  /** An option whose values only the account knows, such as the board or the community that is posted to. */
  readonly choice?: string;
}

/** A similar post of the account is never taken for the post, and never hides it. */
export function rivalsContract(bench: Bench, publishing: Publishing): void {
  if (!publishing.find) return;
  describe('a similar post that differs only in', () => {
    for (const rivalry of rivalriesOf(bench)) {
      test(`${rivalry.name} is not taken for the post that was lost`, async () => {
        const violations = [
          await rivalViolation(bench, publishing, rivalry, 'reset-before-effect'),
          await rivalViolation(bench, publishing, rivalry, 'reset-after-effect'),
        ].filter((violation) => violation !== null);
        // What the platform does not show cannot be compared: even then the post is never sent a second time.
        const isUnreadable = bench.world().notReadBack?.includes(rivalry.name) ?? false;
        expect(violations.filter((violation) => !isUnreadable || violation !== FINDS_SIMILAR)).toEqual([]);
      });
    }
  });
}

const FINDS_SIMILAR = 'finds the similar post';

/** What `find` claims wrongly of a post that was lost beside its rival; null where it claims nothing wrong. */
export async function rivalViolation(
  { world, open, post, value, code }: Bench,
  publishing: Publishing,
  rivalry: Rivalry,
  how: 'reset-before-effect' | 'reset-after-effect',
): Promise<string | null> {
  const [ownOnly, rivalOnly] = await differing(publishing, open(), rivalry);
  /** With what the option needs to mean anything, such as a video. */
  const withNeeded = (only: Differing): Differing => {
    const [option = ''] = Object.keys(only.options ?? ownOnly.options ?? {});
    const { options, ...needed } = world().optionContent?.[option]?.() ?? {};
    return { ...needed, ...only, options: { ...options, ...only.options } };
  };
  const [own, rival] = [withNeeded(ownOnly), withNeeded(rivalOnly)];
  const [image] = ownOnly.media ?? [];
  const counted = image ? { ...own, media: [imageOf({ type: image.type })] } : withNeeded(ownOnly);
  const text = `Alike No. ${++texts}`;
  const other = value(await publishing.publish(open(), post(text, rival), nothingKept));
  const item = post(text, own);
  const { remember, readBack } = memoryOf(item);
  world().break(how, await requestsBefore(publishing, { world, open, post, value }, counted));
  const before = world().effects();
  const sent = await publishing.publish(open(), item, remember);
  world().mend();
  const isOut = world().effects() > before;
  if (sent.ok || isOut !== (how === 'reset-after-effect')) return `was not lost to a ${how}: ${code(sent)}`;
  const found = await publishing.find?.(open(), readBack());
  if (!found || isUndecided(code(found))) return null;
  const part = value(found);
  if (part?.externalId === other.externalId) return FINDS_SIMILAR;
  if (isOut && part === null) return 'reports the absence of what is published';
  return !isOut && part !== null ? 'finds what was never published' : null;
}

let texts = 0;

/** In what the two differ: the first two values that the account may choose, where only the account knows them. */
async function differing(
  publishing: Publishing,
  session: ReturnType<Bench['open']>,
  { own, rival, choice }: Rivalry,
): Promise<readonly [Differing, Differing]> {
  if (choice === undefined) return [own, rival];
  const asked = await publishing.options?.(session);
  const listed = asked?.ok ? asked.value.options?.find(({ name }) => name === choice)?.choices : undefined;
  const [one, two] = listed ?? [];
  if (!one || !two) throw new Error(`the account lists fewer than two values of ${choice}`);
  return [{ options: { [choice]: one.value } }, { options: { [choice]: two.value } }];
}

/** How many requests come before the one that publishes, counted on a post of the same kind. */
async function requestsBefore(
  publishing: Publishing,
  { world, open, post, value }: Pick<Bench, 'world' | 'open' | 'post' | 'value'>,
  content: Differing,
): Promise<number> {
  const item = post(`Counted No. ${++texts}`, content);
  const [effects, requests] = [world().effects(), world().requests()];
  let before = 0;
  const session = open();
  const counting = {
    ...session,
    async request(request: Parameters<typeof session.request>[0]) {
      const answer = await session.request(request);
      if (world().effects() === effects) before = world().requests() - requests;
      return answer;
    },
  };
  value(await publishing.publish(counting, item, nothingKept));
  return before;
}

/** What the manifest says that posts may differ in. */
export function rivalriesOf({ platform }: Bench): readonly Rivalry[] {
  const { title, media, options } = platform.manifest;
  const image = media?.images && !media.images.coverOnly ? media.images.types[0] : undefined;
  const [one, two] = ['https://example.com/one', 'https://example.com/two'];
  return [
    { name: 'its link', own: { link: one }, rival: { link: two } },
    { name: 'having no link', own: {}, rival: { link: two } },
    ...(title ? [{ name: 'its title', own: { title: 'One title' }, rival: { title: 'Two titles' } }] : []),
    ...(image !== undefined
      ? [
          {
            name: 'its image',
            own: { media: [imageOf({ type: image })] },
            rival: { media: [imageOf({ type: image })] },
          },
        ]
      : []),
    ...options.flatMap((option): readonly Rivalry[] => {
      if (option.type === 'choice' && !option.choices) {
        return [{ name: `its option ${option.name}`, own: {}, rival: {}, choice: option.name }];
      }
      const [own, rival] = valuesOf(option);
      return own === undefined
        ? []
        : [
            {
              name: `its option ${option.name}`,
              own: { options: { [option.name]: own } },
              rival: { options: rival === undefined ? {} : { [option.name]: rival } },
            },
          ];
    }),
  ];
}

/** Two values of an option that the manifest itself lists. */
function valuesOf({ type, choices }: PublishOption): readonly [unknown, unknown] {
  if (type === 'boolean') return [true, false];
  return [choices?.[0]?.value, choices?.[1]?.value];
}
