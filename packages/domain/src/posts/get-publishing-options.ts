import { actorName, type Call } from '../call.js';
import type { Connection, MediaRules } from '../connections/connection.js';
import { findReachableConnection } from '../connections/find-reachable.js';
import { needsReauth, withReconnectStep } from '../connections/needs-reauth.js';
import { refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { SessionFailureCode } from '../ports/authorizers.js';
import type { Manifest, Ports } from '../ports/index.js';
import type { AccountOptions, Publishing, Quota } from '../ports/publishing.js';
import type { PlatformFailureCode } from '../ports/session.js';
import type { PublishOption } from '../ports/manifest.js';
import { ok, type Result } from '../result.js';

interface GetPublishingOptions {
  readonly id: string;
  /** Filters the choices that only the account defines. */
  readonly query?: string | undefined;
  /** The maximum number of choices per option. */
  readonly limit?: number | undefined;
}

/**
 * The current options of an account: its platform's facts, overridden by those of its server, and by the
 * account's own.
 */
interface PublishingOptions {
  readonly text: { readonly max: number; readonly unit: string } | null;
  readonly media: MediaRules | null;
  readonly options: readonly PublishOption[];
  readonly quotas: readonly Quota[];
  readonly asOf: Date;
}

type PublishingOptionsFailure =
  | 'connection.not_found'
  | 'post.no_targets'
  | PlatformFailureCode
  | SessionFailureCode;

type OptionsPorts = Pick<Ports, 'connections' | 'platforms' | 'sessions' | 'clock'>;

export async function getPublishingOptions(
  ports: OptionsPorts,
  call: Call,
  { id, query, limit }: GetPublishingOptions,
): Promise<Result<PublishingOptions, PublishingOptionsFailure>> {
  const found = await findReachableConnection(ports, call, id);
  if (!found.ok) return found;
  const connection = found.value;
  const platform = ports.platforms.find(connection.platform);
  if (!platform?.publishing) {
    return refuse('post.no_targets', 'The platform of this account does not support publishing.', {
      next: nextCall.listConnections({ profile_id: connection.profileId }),
    });
  }
  if (connection.status === 'needs_reauth') {
    return needsReauth(connection, 'The account must be reconnected before it can publish.');
  }
  const accountState = await fetchAccountState(ports, call, connection, platform.publishing, query);
  if (!accountState.ok) return withReconnectStep(connection, accountState);
  const { options, quotas } = accountState.value;
  const merged = mergeOptions(platform.manifest, connection, options);
  const own = new Set(platform.manifest.options.filter(({ choices }) => !choices).map(({ name }) => name));
  const shown = merged.options.map((option) =>
    limitChoices(own.has(option.name) ? filterChoices(option, query) : option, limit),
  );
  return ok({ ...merged, options: shown, quotas, asOf: ports.clock.now() });
}

interface AccountState {
  readonly options: AccountOptions;
  readonly quotas: readonly Quota[];
}

/** Most platforms have no account-specific options; those are not queried. */
async function fetchAccountState(
  ports: OptionsPorts,
  call: Call,
  connection: Connection,
  publishing: Publishing,
  query: string | undefined,
): Promise<Result<AccountState, PlatformFailureCode | SessionFailureCode>> {
  if (!publishing.options && !publishing.quotas) return ok({ options: {}, quotas: [] });
  const session = await ports.sessions.open(
    connection,
    { purpose: 'check', actor: actorName(call) },
    call.signal,
  );
  if (!session.ok) return session;
  const [options, quotas] = await Promise.all([
    publishing.options?.(session.value, query) ?? ok({}),
    publishing.quotas?.(session.value) ?? ok([]),
  ]);
  if (!options.ok) return options;
  return quotas.ok ? ok({ options: options.value, quotas: quotas.value }) : quotas;
}

function mergeOptions(
  manifest: Manifest,
  { account }: Connection,
  accountState: AccountOptions,
): Pick<PublishingOptions, 'text' | 'media' | 'options'> {
  const own = new Map(accountState.options?.map((option) => [option.name, option]));
  const { text } = manifest;
  return {
    text: text && { max: (accountState.textLimits ?? account.textLimits ?? text).max, unit: text.unit },
    media: accountState.mediaLimits ?? account.mediaLimits ?? manifest.media,
    options: manifest.options.map((option) => own.get(option.name) ?? option),
  };
}

/** Keeps the choices whose label or value contains the query. */
function filterChoices(option: PublishOption, query: string | undefined): PublishOption {
  if (query === undefined || !option.choices) return option;
  const words = query.toLowerCase();
  const choices = option.choices.filter(
    ({ value, label }) => label.toLowerCase().includes(words) || value.toLowerCase().includes(words),
  );
  return { ...option, choices };
}

function limitChoices(option: PublishOption, limit: number | undefined): PublishOption {
  if (limit === undefined || !option.choices || option.choices.length <= limit) return option;
  return { ...option, choices: option.choices.slice(0, limit), more: true };
}
