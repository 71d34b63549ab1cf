import { failures, refuse, refuseWith, type Failure, type Problem, type Result } from '@switchboard/domain';
import type {
  Ability,
  CountedFault,
  PartDraft,
  Platform,
  PlatformFailureCode,
  PublishingRules,
  SaveReceipt,
  Session,
} from '@switchboard/domain/ports';
import { z } from 'zod';
import * as shapes from './result-shapes.js';
import { watchSession } from './watch-session.js';

/** What an external adapter did wrong. */
export interface AdapterFault extends Omit<CountedFault, 'count' | 'lastAt'> {
  /** What it threw, for the log. */
  readonly error?: unknown;
}

interface IsolationOptions {
  readonly report: (fault: AdapterFault) => void;
  /** How long a call may last without a request of its session. */
  readonly idleMs?: number;
  /** How long a call may last in all. */
  readonly totalMs?: number;
}

interface MethodFacts {
  readonly accepts: z.ZodType;
  /** It publishes or refunds: without a result after a request that may have changed something, the outcome is unknown. */
  readonly isEffect?: boolean;
  /** Why a value of the right shape does not answer the call. */
  readonly findMismatch?: (value: unknown, args: readonly unknown[], session: Session) => string | null;
}

const aboutOrder: MethodFacts['findMismatch'] = (value, [asked]) =>
  value === null || (value as { externalId: string }).externalId === asked
    ? null
    : 'it returned another order than the requested one';
const aboutPosts: MethodFacts['findMismatch'] = (value, [asked]) =>
  [...(value as ReadonlyMap<string, unknown>).keys()].every((id) => (asked as readonly string[]).includes(id))
    ? null
    : 'it returned metrics of posts that were not requested';

/** While an account is being connected its id is unknown, or what its owner entered. */
const aboutAccount: MethodFacts['findMismatch'] = (value, _args, { account, subject }) =>
  account.id === '' ||
  subject ||
  (value as readonly { readonly id: string }[]).some(({ id }) => id === account.id)
    ? null
    : 'it identified another account than the connected one';

const nothing = z.undefined();

/**
 * The asynchronous methods of each ability. A method that is not listed is not called: an external store has no
 * webhooks, because an adapter verifies them with a secret, and its orders are polled.
 */
const methods: Readonly<Record<Ability | 'connecting', Readonly<Record<string, MethodFacts>>>> = {
  connecting: { identify: { accepts: shapes.accountsShape, findMismatch: aboutAccount } },
  publishing: {
    publish: { accepts: shapes.partShape, isEffect: true },
    find: { accepts: shapes.partShape.nullable() },
    resolvePublishedUrl: { accepts: shapes.partShape.nullable() },
    exists: { accepts: z.boolean() },
    edit: { accepts: nothing, isEffect: true },
    isEdited: { accepts: z.boolean() },
    remove: { accepts: nothing },
    options: { accepts: shapes.optionsShape },
    quotas: { accepts: shapes.quotasShape },
  },
  analytics: {
    ofPosts: { accepts: shapes.postMetricsShape, findMismatch: aboutPosts },
    ofAccount: { accepts: shapes.metricsShape },
    ofDays: { accepts: shapes.daysShape },
    listPosts: { accepts: shapes.postsPageShape },
  },
  orders: {
    list: { accepts: shapes.ordersPageShape },
    get: { accepts: shapes.orderShape.nullable(), findMismatch: aboutOrder },
    listShipments: { accepts: shapes.shipmentsShape },
  },
  refunds: {
    refund: { accepts: shapes.refundShape, isEffect: true },
    find: { accepts: shapes.refundShape.nullable() },
    calculate: { accepts: shapes.calculationShape },
  },
};

const failureShape = z.looseObject({
  code: z.string().refine((code) => Object.hasOwn(failures, code), 'a failure code'),
  message: z.string(),
});
const byOperator = { whoCanFix: 'operator' } as const;

/**
 * An external platform whose calls always end, with a result of the documented shape: an exception, a hang and
 * malformed data become a failure of this call, and are reported. After a call has ended, its session sends
 * nothing.
 */
export function isolatePlatform(platform: Platform, options: IsolationOptions): Platform {
  const { manifest, publishing, orders } = platform;
  const wrapped = Object.entries(methods).flatMap(([ability, facts]) => {
    const own = platform[ability as Ability | 'connecting'];
    return own ? [[ability, isolateMethods(platform, ability, own, facts, options)] as const] : [];
  });
  const isolated = Object.fromEntries(wrapped) as unknown as Omit<Platform, 'manifest'>;
  return {
    ...isolated,
    manifest,
    ...(publishing &&
      isolated.publishing && {
        publishing: { ...isolated.publishing, ...isolateRules(platform, publishing, options) },
      }),
    ...(orders &&
      isolated.orders && {
        orders: {
          ...isolated.orders,
          filters: [...orders.filters],
          countsPages: orders.countsPages === true,
        },
      }),
  };
}

type Method = (session: Session, ...args: unknown[]) => Promise<unknown>;

const isolateMethods = (
  platform: Platform,
  ability: string,
  own: object,
  facts: Readonly<Record<string, MethodFacts>>,
  options: IsolationOptions,
) =>
  Object.fromEntries(
    Object.entries(facts).flatMap(([name, method]) => {
      const call = (own as Readonly<Record<string, Method | undefined>>)[name]?.bind(own);
      return call ? [[name, isolateMethod(platform, `${ability}.${name}`, call, method, options)]] : [];
    }),
  );

function isolateMethod(
  { manifest: { id, name } }: Platform,
  method: string,
  run: Method,
  { accepts, isEffect = false, findMismatch = () => null }: MethodFacts,
  { report, idleMs = 60_000, totalMs = 600_000 }: IsolationOptions,
) {
  return async (session: Session, ...args: readonly unknown[]): Promise<Result<unknown>> => {
    const watch = watchSession(session, { idleMs, totalMs });
    const receipts = method === 'publishing.publish' ? watchReceipts(args) : { args, errors: [] };
    const fail = (kind: AdapterFault['kind'], message: string, error?: unknown) => {
      report({ platform: id, method, kind, message, error });
      if (!isEffect) return refuse('platform.invalid_response', `The adapter of ${name} failed.`, byOperator);
      return watch.hasWritten()
        ? refuse('platform.outcome_unknown', `The adapter of ${name} failed. The outcome is unknown.`)
        : refuse('platform.unavailable', `The adapter of ${name} failed. Nothing was sent.`, byOperator);
    };
    try {
      const ended = await Promise.race([
        run(watch.session, ...receipts.args).then((result) => ({ result })),
        watch.hung,
      ]);
      if (ended === 'hung') return fail('timed_out', 'it did not return in time');
      const { ok, value, failure } = (ended.result ?? {}) as Partial<Record<string, unknown>>;
      if (ok === false) {
        const refused = failureShape.safeParse(failure);
        if (!refused.success) return fail('malformed', `its failure: ${describe(refused.error)}`);
        return refuseWith(refused.data as unknown as Failure<PlatformFailureCode>);
      }
      if (ok !== true) return fail('malformed', 'it returned no result');
      const parsed = accepts.safeParse(value);
      if (!parsed.success) return fail('malformed', describe(parsed.error));
      const mismatch = findMismatch(parsed.data, args, session);
      return mismatch === null ? { ok: true, value: parsed.data } : fail('malformed', mismatch);
    } catch (error) {
      // The process has lost its lease, for example: no fault of the adapter.
      if (watch.isOwnError(error) || receipts.errors.includes(error)) throw error;
      return fail('threw', messageOf(error), error);
    } finally {
      watch.end();
    }
  };
}

/** The arguments of `publish`, where errors of `saveReceipt` are recorded. */
function watchReceipts([item, saveReceipt]: readonly unknown[]): {
  readonly args: readonly unknown[];
  readonly errors: readonly unknown[];
} {
  const errors: unknown[] = [];
  const save: SaveReceipt = async (receipt) => {
    const own = shapes.receiptShape.parse(receipt);
    try {
      await (saveReceipt as SaveReceipt)(own);
    } catch (error) {
      errors.push(error);
      throw error;
    }
  };
  return { args: [item, save], errors };
}

/**
 * The pure functions. Only `check` can refuse a post, so that it does where any of them fails for it: a post that no
 * rule examined is not created. For display, a plain answer replaces a missing one.
 */
function isolateRules(
  { manifest: { id, name: platformName } }: Platform,
  own: NonNullable<Platform['publishing']>,
  { report }: IsolationOptions,
): PublishingRules {
  /** Null: the function failed, which is reported. */
  function pure<Value>(
    name: string,
    accepts: z.ZodType<Value>,
    run: () => unknown,
  ): { readonly value: Value } | null {
    const method = `publishing.${name}`;
    try {
      const parsed = accepts.safeParse(run());
      if (parsed.success) return { value: parsed.data };
      report({ platform: id, method, kind: 'malformed', message: describe(parsed.error) });
    } catch (error) {
      report({ platform: id, method, kind: 'threw', message: messageOf(error), error });
    }
    return null;
  }
  const runCount = (...args: Parameters<typeof own.count>) =>
    pure('count', z.int().nonnegative(), () => own.count(...args));
  const runFinalText = (draft: PartDraft) => pure('finalText', z.string(), () => own.finalText(draft));
  const runCost = (draft: PartDraft) =>
    own.cost ? pure('cost', shapes.priceShape.nullable(), () => own.cost?.(draft)) : { value: null };
  const failed: Problem = {
    path: 'text',
    code: 'platform.unavailable',
    message: `The adapter of ${platformName} cannot check posts: the operator finds its error in doctor.`,
  };
  return {
    count: (text, limits) => runCount(text, limits)?.value ?? [...text].length,
    finalText: (draft) => runFinalText(draft)?.value ?? draft.text,
    check(draft, limits, accountId) {
      const text = runFinalText(draft);
      const isExamined = text && runCount(text.value, limits) && runCost(draft);
      const found = own.check
        ? pure('check', shapes.problemsShape, () => own.check?.(draft, limits, accountId))
        : { value: [] };
      return isExamined && found ? found.value : [failed];
    },
    ...(own.checkEdit && {
      checkEdit: (before, after) =>
        pure('checkEdit', shapes.problemsShape, () => own.checkEdit?.(before, after))?.value ?? [failed],
    }),
    ...(own.cost && { cost: (draft) => runCost(draft)?.value ?? null }),
  };
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).slice(0, 300);

const describe = ({ issues: [first] }: z.ZodError): string =>
  `${first?.path.map(String).join('.') || 'the value'}: ${(first?.message ?? '').replace(/^Invalid input: /, '')}`.slice(
    0,
    300,
  );
