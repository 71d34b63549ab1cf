import { isCurrency, ok, parseAmount, type Result } from '@switchboard/domain';
import { APPROVAL_HOURS_DEFAULT, APPROVAL_HOURS_MAX, type ApprovalPolicy } from '@switchboard/domain/access';
import { InvalidArgumentError } from 'commander';
import { usageError } from './command-result.js';

export interface ApprovalOptions {
  readonly approvePosts?: boolean;
  readonly approveRefundsOver?: readonly string[];
  readonly approvalHours?: number;
}

/**
 * What a person has to approve: the options, and of `before` what they do not name. Undefined without an option; null
 * when nothing needs an approval.
 */
export function readApprovalPolicy(
  { approvePosts, approveRefundsOver, approvalHours }: ApprovalOptions,
  before: ApprovalPolicy | null,
): Result<ApprovalPolicy | null | undefined> {
  if ([approvePosts, approveRefundsOver, approvalHours].every((option) => option === undefined))
    return ok(undefined);
  const amounts = approveRefundsOver?.join() === 'none' ? ok([]) : readAmounts(approveRefundsOver ?? []);
  if (!amounts.ok) return amounts;
  const posts = approvePosts === undefined ? (before?.posts ?? 'never') : approvePosts ? 'always' : 'never';
  const refundsOver = approveRefundsOver === undefined ? (before?.refundsOver ?? []) : amounts.value;
  if (posts === 'always' || refundsOver.length > 0) {
    const expiresInHours = approvalHours ?? before?.expiresInHours ?? APPROVAL_HOURS_DEFAULT;
    return ok({ posts, refundsOver, expiresInHours });
  }
  return approvalHours === undefined
    ? ok(null)
    : usageError('--approval-hours needs --approve-posts or --approve-refunds-over.');
}

function readAmounts(texts: readonly string[]): Result<ApprovalPolicy['refundsOver']> {
  const amounts: { readonly currency: string; readonly amountMinor: number }[] = [];
  for (const text of texts) {
    const [, currency = '', amount = ''] = /^([^:]*):([^:]*)$/.exec(text) ?? [];
    const amountMinor = isCurrency(currency) ? parseAmount(amount, currency) : null;
    if (amountMinor === null)
      return usageError(`--approve-refunds-over ${text}: write CURRENCY:AMOUNT such as EUR:50, or none.`);
    if (amounts.some((one) => one.currency === currency))
      return usageError(`--approve-refunds-over names ${currency} twice.`);
    amounts.push({ currency, amountMinor });
  }
  return ok(amounts);
}

export function readApprovalHours(text: string): number {
  const hours = Number(text);
  if (!Number.isInteger(hours) || hours < 1 || hours > APPROVAL_HOURS_MAX)
    throw new InvalidArgumentError(`Expected a whole number of hours from 1 to ${APPROVAL_HOURS_MAX}.`);
  return hours;
}
