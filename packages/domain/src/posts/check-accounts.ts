import { actorName, type Call } from '../call.js';
import type { Ports, PublishOption, Quota, Session } from '../ports/index.js';
import type { Result } from '../result.js';
import { checkChoices, ownChoicesOf } from './check-choices.js';
import { checkQuotas, type QuotaTarget } from './check-quotas.js';
import { placeOf } from './check-targets.js';
import type { DraftPost } from './draft-post.js';
import type { PlannedTarget } from './plan-post.js';

export type AccountPorts = Pick<Ports, 'platforms' | 'sessions' | 'clock'>;

/** How long a validation waits for accounts. All are asked at once, and who has not answered by then has not said. */
const BUDGET_MS = 5000;

/** Asks each account that knows more than its platform’s facts whether it takes what is planned. Nothing is reserved. */
export async function checkAccounts(
  ports: AccountPorts,
  call: Call,
  post: DraftPost,
  targets: readonly PlannedTarget[],
): Promise<readonly QuotaTarget[]> {
  const stop = new AbortController();
  const signal = AbortSignal.any([call.signal, stop.signal]);
  let timeUp: Promise<null> | undefined;
  const inTime = <Value>(asked: Promise<Value>): Promise<Value | null> => {
    timeUp ??= ports.clock.sleep(BUDGET_MS, signal).then(() => null);
    return Promise.race([asked, timeUp]);
  };
  try {
    return await Promise.all(
      targets.map(async (target, index) => {
        const told = ask(ports, call, target, signal);
        const [quotas, options] = await Promise.all([
          told.quotas && inTime(told.quotas),
          told.options && inTime(told.options),
        ]);
        const place = placeOf(post, index);
        const chosen = told.options ? checkChoices(target, told.asked, options ?? null, place) : target;
        return checkQuotas(chosen, quotas ?? [], place, ports.clock.now());
      }),
    );
  } finally {
    stop.abort();
  }
}

/** What one account is asked, in one session. Null is an account that could not say. */
interface Told {
  readonly quotas?: Promise<readonly Quota[] | null>;
  /** Only where there is a choice to be checked: it may take many requests. */
  readonly options?: Promise<readonly PublishOption[] | null>;
  readonly asked: readonly PublishOption[];
}

function ask(
  { platforms, sessions }: AccountPorts,
  call: Call,
  { connection, options: given }: PlannedTarget,
  signal: AbortSignal,
): Told {
  const platform = platforms.find(connection.platform);
  if (!platform?.publishing || connection.status === 'needs_reauth') return { asked: [] };
  const { publishing, manifest } = platform;
  const asked = publishing.options ? ownChoicesOf(manifest, given) : [];
  if (!publishing.quotas && asked.length === 0) return { asked };
  const use = { purpose: 'check', actor: actorName(call) } as const;
  const opened = sessions.open(connection, use, signal);
  const tell = async <Value>(read: (session: Session) => Promise<Result<Value>>) => {
    const session = await opened;
    const said = session.ok ? await read(session.value) : session;
    return said.ok ? said.value : null;
  };
  return {
    asked,
    ...(publishing.quotas && { quotas: tell(publishing.quotas.bind(publishing)) }),
    ...(publishing.options &&
      asked.length > 0 && {
        options: tell(publishing.options.bind(publishing)).then((said) => said && (said.options ?? [])),
      }),
  };
}
