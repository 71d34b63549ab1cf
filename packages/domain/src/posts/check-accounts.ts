import { actorName, type Call } from '../call.js';
import type { Ports, PublishOption, Quota, Session } from '../ports/index.js';
import type { Result } from '../result.js';
import { checkChoices, accountChoicesOf } from './check-choices.js';
import { checkQuotas, type QuotaTarget } from './check-quotas.js';
import { targetPath } from './check-targets.js';
import type { DraftPost } from './draft-post.js';
import type { PlannedTarget } from './plan-post.js';

export type AccountPorts = Pick<Ports, 'platforms' | 'sessions' | 'clock'>;

/**
 * How long a validation waits for accounts. All are queried concurrently; one that has not responded in time
 * counts as unknown.
 */
const BUDGET_MS = 5000;

/** Queries each account with options of its own whether it accepts the planned post. Nothing is reserved. */
export async function checkAccounts(
  ports: AccountPorts,
  call: Call,
  post: DraftPost,
  targets: readonly PlannedTarget[],
): Promise<readonly QuotaTarget[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  let timedOut: Promise<null> | undefined;
  const withinBudget = <Value>(pending: Promise<Value>): Promise<Value | null> => {
    timedOut ??= ports.clock.sleep(BUDGET_MS, signal).then(() => null);
    return Promise.race([pending, timedOut]);
  };
  try {
    return await Promise.all(
      targets.map(async (target, index) => {
        const check = queryAccount(ports, call, target, signal);
        const [quotas, options] = await Promise.all([
          check.quotas && withinBudget(check.quotas),
          check.options && withinBudget(check.options),
        ]);
        const basePath = targetPath(post, index);
        const chosen = check.options
          ? checkChoices(target, check.optionsToCheck, options ?? null, basePath)
          : target;
        return checkQuotas(chosen, quotas ?? [], basePath, ports.clock.now());
      }),
    );
  } finally {
    stop.abort();
  }
}

/** The queries of one account, in one session. Null means that the account could not be queried. */
interface AccountCheck {
  readonly quotas?: Promise<readonly Quota[] | null>;
  /** Only where a choice must be checked: it may take many requests. */
  readonly options?: Promise<readonly PublishOption[] | null>;
  readonly optionsToCheck: readonly PublishOption[];
}

function queryAccount(
  { platforms, sessions }: AccountPorts,
  call: Call,
  { connection, options: chosenOptions }: PlannedTarget,
  signal: AbortSignal,
): AccountCheck {
  const platform = platforms.find(connection.platform);
  if (!platform?.publishing || connection.status === 'needs_reauth') return { optionsToCheck: [] };
  const { publishing, manifest } = platform;
  const optionsToCheck = publishing.options ? accountChoicesOf(manifest, chosenOptions) : [];
  if (!publishing.quotas && optionsToCheck.length === 0) return { optionsToCheck };
  const use = { purpose: 'check', actor: actorName(call) } as const;
  const opened = sessions.open(connection, use, signal);
  const readFromSession = async <Value>(read: (session: Session) => Promise<Result<Value>>) => {
    const session = await opened;
    const result = session.ok ? await read(session.value) : session;
    return result.ok ? result.value : null;
  };
  return {
    optionsToCheck,
    ...(publishing.quotas && { quotas: readFromSession(publishing.quotas.bind(publishing)) }),
    ...(publishing.options &&
      optionsToCheck.length > 0 && {
        options: readFromSession(publishing.options.bind(publishing)).then(
          (result) => result && (result.options ?? []),
        ),
      }),
  };
}
