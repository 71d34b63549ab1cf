import {
  ok,
  refuse,
  type Draft,
  type FailureCode,
  type Manifest,
  type Platform,
  type PlatformFailureCode,
  type Publishing,
  type PublishItem,
  type PublishedPart,
  type RemoteAccount,
  type Result,
} from '../../src/index.js';

/** How one request ends: with or without its effect, and what the caller hears of it. */
export interface Ending<Code extends FailureCode = PlatformFailureCode> {
  readonly takesEffect: boolean;
  readonly says: 'ok' | 'throws' | 'hangs' | Code;
  readonly retryAfterSeconds?: number;
  /** Remembered of the part before anything is sent. */
  readonly remembers?: PublishedPart['receipt'];
  /** Runs while the request is on its way. */
  readonly meanwhile?: () => Promise<unknown>;
}

export interface MemorySocial {
  readonly platform: Platform;
  /** Every effect there was, by reference: a reference that stands here twice was published twice. */
  readonly published: string[];
  /** The texts that went out with them. */
  readonly texts: string[];
  /** Every part that it was asked to publish, whatever came of it. */
  readonly asked: PublishItem[];
  /** The origin at which each of them was to be published. */
  readonly servers: string[];
  /** External ids of what was deleted. */
  readonly removed: string[];
  /** How the next requests end, in turn; without one they succeed. */
  readonly publishEndings: Ending<PlatformFailureCode | 'platform.duplicate_content'>[];
  readonly findEndings: Ending[];
  readonly removeEndings: Ending[];
  /** Whom the next logins belong to. */
  accounts: Result<readonly RemoteAccount[], PlatformFailureCode>;
}

interface Options {
  readonly id?: string;
  readonly sandbox?: boolean;
  readonly readBack?: boolean;
  /** It knows posts again by their words alone, the first of several. */
  readonly byWords?: boolean;
  readonly unpublish?: boolean;
  readonly manifest?: Partial<Manifest>;
  readonly check?: NonNullable<Publishing['check']>;
  readonly cost?: NonNullable<Publishing['cost']>;
  /** What an account says that is asked for its options. */
  readonly options?: NonNullable<Publishing['options']>;
  readonly quotas?: NonNullable<Publishing['quotas']>;
  readonly locate?: NonNullable<Publishing['locate']>;
}

/** A social platform in memory. It does not recognise a second attempt, so that a post sent twice shows. */
export function memorySocial({
  id = 'sandbox_social',
  sandbox = false,
  readBack = true,
  byWords = false,
  unpublish = true,
  manifest = {},
  check,
  cost,
  options,
  quotas,
  locate,
}: Options = {}): MemorySocial {
  const social: { -readonly [Name in keyof MemorySocial]: MemorySocial[Name] } = {
    platform: undefined as unknown as Platform,
    published: [],
    publishEndings: [],
    findEndings: [],
    texts: [],
    asked: [],
    servers: [],
    removed: [],
    removeEndings: [],
    accounts: ok([remoteAccount('ada')]),
  };
  const end = async <Value, Code extends FailureCode>(
    ending: Ending<Code> | undefined,
    effect: () => void,
    value: () => Value,
  ) => {
    await ending?.meanwhile?.();
    if (ending?.takesEffect ?? true) effect();
    if (ending?.says === 'throws') throw new Error('a bug in an adapter');
    if (ending?.says === 'hangs') return new Promise<never>(() => undefined);
    if (!ending || ending.says === 'ok') return ok(value());
    const { says, retryAfterSeconds } = ending;
    return refuse(says, `It said ${says}.`, { retryAfterSeconds });
  };
  /** What can be located has no place yet. */
  const part = ({ reference }: Pick<PublishItem, 'reference'>): PublishedPart => ({
    externalId: `remote ${reference}`,
    url: locate ? null : `https://social.example/${reference}`,
    receipt: {},
  });
  const published = ({ reference, text }: PublishItem): string | undefined =>
    byWords
      ? social.published[social.texts.indexOf(text)]
      : social.published.find((one) => one === reference);
  const found = (reference: string | undefined) => (reference === undefined ? null : part({ reference }));
  const finalText = ({ text, link }: Draft) => (link === null ? text : `${text} ${link}`);
  social.platform = {
    manifest: {
      id,
      name: id,
      kind: 'social',
      sandbox,
      connect: [way('oauth', 'oauth2'), way('app_password', 'atproto_app_password')],
      permissions: {},
      text: { max: 20, unit: 'characters', required: true },
      media: null,
      title: null,
      thread: true,
      firstComment: { max: null },
      linkCards: false,
      options: [],
      metrics: [],
      refunds: null,
      setup: { consoleUrl: null, reviewNeeded: false, pitfalls: [] },
      baseUrl: 'https://social.example',
      authBaseUrl: 'https://social.example',
      apiVersion: null,
      apiVersionEndsOn: null,
      evidence: 'simulator',
      verifiedOn: '2026-01-01',
      docsUrl: 'https://social.example/docs',
      ...manifest,
    },
    connecting: { identify: async () => social.accounts },
    publishing: {
      count: (text) => [...text].length,
      finalText,
      ...(check && { check }),
      ...(cost && { cost }),
      ...(options && { options }),
      ...(quotas && { quotas }),
      ...(locate && { locate }),
      async publish(session, item, remember) {
        social.asked.push(item);
        social.servers.push(session.baseUrl);
        const ending = social.publishEndings.shift();
        if (ending?.remembers) await remember(ending.remembers);
        const effect = () => social.published.push(item.reference) && social.texts.push(item.text);
        return end(ending, effect, () => part(item));
      },
      ...(unpublish && {
        remove: (_session, { externalId }) =>
          end(
            social.removeEndings.shift(),
            () => social.removed.push(externalId ?? ''),
            () => undefined,
          ),
      }),
      ...(readBack && {
        find: (_session, item) =>
          end(
            social.findEndings.shift(),
            () => undefined,
            () => found(published(item)),
          ),
      }),
    },
  };
  return social;
}

export const remoteAccount = (id: string): RemoteAccount => ({
  id,
  username: id,
  name: id,
  avatarUrl: null,
  url: `https://social.example/${id}`,
});

const way = (id: string, scheme: Manifest['connect'][number]['scheme']): Manifest['connect'][number] => ({
  id,
  scheme,
  label: id,
  fields:
    scheme === 'oauth2'
      ? []
      : [{ name: 'handle', label: 'Handle', hint: '', kind: 'text', required: true, placeholder: '' }],
  needsApp: false,
});
