import type { RemoteAccount } from '../../src/connections/connection.js';
import { refuse, type FailureCode } from '../../src/failure.js';
import type {
  PartDraft,
  Manifest,
  Platform,
  PlatformFailureCode,
  Publishing,
  PublishItem,
  PublishedPart,
} from '../../src/ports/index.js';
import { ok, type Result } from '../../src/result.js';
import { bareManifest } from '../bare-manifest.js';

/** The outcome of one request: with or without an effect, and the caller's result. */
export interface SimulatedOutcome<Code extends FailureCode = PlatformFailureCode> {
  readonly takesEffect: boolean;
  readonly response: 'ok' | 'throws' | 'hangs' | Code;
  readonly retryAfterSeconds?: number;
  /** Saved as receipt of the part before anything is sent. */
  readonly savesReceipt?: PublishedPart['receipt'];
  readonly duringRequest?: () => Promise<unknown>;
}

interface MemorySocialOptions {
  readonly id?: string;
  readonly sandbox?: boolean;
  readonly readBack?: boolean;
  /** It identifies posts by their text alone, and returns the first of several. */
  readonly matchesByText?: boolean;
  readonly unpublish?: boolean;
  readonly manifest?: Partial<Manifest>;
  readonly check?: NonNullable<Publishing['check']>;
  readonly cost?: NonNullable<Publishing['cost']>;
  /** The account's options. */
  readonly options?: NonNullable<Publishing['options']>;
  readonly quotas?: NonNullable<Publishing['quotas']>;
  readonly resolvePublishedUrl?: NonNullable<Publishing['resolvePublishedUrl']>;
  readonly exists?: NonNullable<Publishing['exists']>;
  readonly edit?: NonNullable<Publishing['edit']>;
  readonly isEdited?: NonNullable<Publishing['isEdited']>;
  readonly checkEdit?: NonNullable<Publishing['checkEdit']>;
}

/**
 * An in-memory social platform. It does not detect a second attempt, so that a post that was sent twice is
 * visible.
 */
export function memorySocial({
  id = 'sandbox_social',
  sandbox = false,
  readBack = true,
  matchesByText = false,
  unpublish = true,
  manifest = {},
  check,
  cost,
  options,
  quotas,
  resolvePublishedUrl,
  exists,
  edit,
  isEdited,
  checkEdit,
}: MemorySocialOptions = {}) {
  const social = {
    platform: undefined as unknown as Platform,
    /** Every effect, by reference: a reference that appears twice was published twice. */
    published: [] as string[],
    texts: [] as string[],
    /** Every part that it was asked to publish, regardless of the result. */
    publishRequests: [] as PublishItem[],
    /** The origin of each request. */
    servers: [] as string[],
    /** External ids of deleted posts. */
    removed: [] as string[],
    /** The outcomes of the next requests, in turn; without one they succeed. */
    publishOutcomes: [] as SimulatedOutcome<PlatformFailureCode | 'platform.duplicate_content'>[],
    findOutcomes: [] as SimulatedOutcome[],
    removeOutcomes: [] as SimulatedOutcome[],
    /** The accounts of the next logins. */
    accounts: ok([remoteAccount('ada')]) as Result<readonly RemoteAccount[], PlatformFailureCode>,
  };
  const respond = async <Value, Code extends FailureCode>(
    outcome: SimulatedOutcome<Code> | undefined,
    effect: () => void,
    value: () => Value,
  ) => {
    await outcome?.duringRequest?.();
    if (outcome?.takesEffect ?? true) effect();
    if (outcome?.response === 'throws') throw new Error('a bug in an adapter');
    if (outcome?.response === 'hangs') return new Promise<never>(() => undefined);
    if (!outcome || outcome.response === 'ok') return ok(value());
    const { response, retryAfterSeconds } = outcome;
    return refuse(response, `It said ${response}.`, { retryAfterSeconds });
  };
  /** A resolvable part has no URL yet. */
  const part = ({ reference }: Pick<PublishItem, 'reference'>): PublishedPart => ({
    externalId: `remote ${reference}`,
    url: resolvePublishedUrl ? null : `https://social.example/${reference}`,
    receipt: {},
  });
  const published = ({ reference, text }: PublishItem): string | undefined =>
    matchesByText
      ? social.published[social.texts.indexOf(text)]
      : social.published.find((one) => one === reference);
  const found = (reference: string | undefined) => (reference === undefined ? null : part({ reference }));
  const finalText = ({ text, link }: PartDraft) => (link === null ? text : `${text} ${link}`);
  social.platform = {
    manifest: {
      ...bareManifest,
      id,
      name: id,
      kind: 'social',
      sandbox,
      connect: [connectMethod('oauth', 'oauth2'), connectMethod('app_password', 'atproto_app_password')],
      text: { max: 20, unit: 'characters', required: true },
      thread: true,
      firstComment: { max: null },
      baseUrl: 'https://social.example',
      authBaseUrl: 'https://social.example',
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
      ...(resolvePublishedUrl && { resolvePublishedUrl }),
      ...(exists && { exists }),
      ...(edit && { edit }),
      ...(isEdited && { isEdited }),
      ...(checkEdit && { checkEdit }),
      async publish(session, item, saveReceipt) {
        social.publishRequests.push(item);
        social.servers.push(session.baseUrl);
        const outcome = social.publishOutcomes.shift();
        if (outcome?.savesReceipt) await saveReceipt(outcome.savesReceipt);
        const effect = () => social.published.push(item.reference) && social.texts.push(item.text);
        return respond(outcome, effect, () => part(item));
      },
      ...(unpublish && {
        remove: (_session, { externalId }) =>
          respond(
            social.removeOutcomes.shift(),
            () => social.removed.push(externalId ?? ''),
            () => undefined,
          ),
      }),
      ...(readBack && {
        find: (_session, item) =>
          respond(
            social.findOutcomes.shift(),
            () => undefined,
            () => found(published(item)),
          ),
      }),
    },
  };
  return social;
}

export type MemorySocial = ReturnType<typeof memorySocial>;

export const remoteAccount = (id: string): RemoteAccount => ({
  id,
  username: id,
  name: id,
  avatarUrl: null,
  url: `https://social.example/${id}`,
});

const connectMethod = (
  id: string,
  scheme: Manifest['connect'][number]['scheme'],
): Manifest['connect'][number] => ({
  id,
  scheme,
  label: id,
  fields:
    scheme === 'oauth2'
      ? []
      : [{ name: 'handle', label: 'Handle', hint: '', kind: 'text', required: true, placeholder: '' }],
  needsApp: false,
});
