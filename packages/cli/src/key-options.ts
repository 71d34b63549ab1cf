import { ok, type ProfileId, type Result, type WorkspaceId } from '@switchboard/domain';
import {
  isCidr,
  isScope,
  scopePresets,
  scopes,
  workspaceWideScopes,
  type ApprovalPolicy,
  type Scope,
  type PolicyChanges,
} from '@switchboard/domain/access';
import { Option, type Command } from 'commander';
import { findProfile } from './find-profile.js';
import { readApprovalHours, readApprovalPolicy, type ApprovalOptions } from './read-approval-policy.js';
import { collectValues, splitList, readDaysOrNever } from './options.js';
import { usageError } from './command-result.js';
import { readRefundLimits } from './read-refund-limits.js';
import { printNotice } from './print-notice.js';
import type { CommandContext } from './with-service.js';

/** The options for creating and updating a key. */
export interface KeyOptions extends ApprovalOptions {
  readonly preset?: keyof typeof scopePresets;
  readonly scopes?: readonly string[];
  readonly profile?: readonly string[];
  readonly cidr?: readonly string[];
  readonly expiresInDays?: number | 'never';
  readonly refundLimit?: readonly string[];
  readonly hidePersonalData?: boolean;
}

export const withKeyOptions = (command: Command): Command =>
  command
    .addOption(new Option('--preset <set>', 'a set of scopes').choices(Object.keys(scopePresets)))
    .option('--scopes <list>', 'scopes, separated by commas; added to the preset’s', splitList)
    .option(
      '--profile <name>',
      'bind the key to this profile: id, name or external id; repeatable; any to unbind',
      collectValues,
    )
    .option('--cidr <network>', 'allowed client network; repeatable; any for all', collectValues)
    .option('--expires-in-days <days>', 'or never', readDaysOrNever)
    .option(
      '--refund-limit <limit>',
      'EUR:50/500 limits per refund and per UTC day; repeatable; or none',
      collectValues,
    )
    .option('--approve-posts', 'a person has to approve every post of the key')
    .option('--no-approve-posts', 'no post needs an approval')
    .option(
      '--approve-refunds-over <amount>',
      'EUR:50 a person has to approve refunds of an order above it; repeatable; or none',
      collectValues,
    )
    .option('--approval-hours <hours>', 'how long a request waits; default 72', readApprovalHours)
    .option('--hide-personal-data', 'mask names, e-mails and addresses of orders')
    .option('--no-hide-personal-data', 'show them');

/** Whether `--profile` binds the key to profiles; undefined without the option. */
export const bindsToProfiles = ({ profile }: KeyOptions): boolean | undefined => profile && !isAny(profile);

const isAny = (texts: readonly string[]) => texts.join() === 'any';

/** Scopes of a preset that a key bound to profiles cannot have. */
const workspaceScopesOfPreset = ({ preset, scopes: namedScopes }: KeyOptions): readonly Scope[] =>
  preset
    ? scopePresets[preset].filter(
        (scope) => workspaceWideScopes.includes(scope) && !namedScopes?.includes(scope),
      )
    : [];

/**
 * The scopes of the preset and of `--scopes`, in the documented order; null when neither option is given. For
 * a key bound to profiles, the preset omits the scopes that such a key cannot have. A scope that `--scopes`
 * names stays, so that the use case rejects it.
 */
export function readScopes(options: KeyOptions, isBound: boolean): Result<readonly Scope[] | null> {
  const { preset, scopes: namedScopes } = options;
  const unknown = namedScopes?.find((scope) => !isScope(scope));
  if (unknown !== undefined)
    return usageError(`Unknown scope ${unknown}. Known scopes: ${scopes.join(', ')}.`);
  if (!preset && !namedScopes) return ok(null);
  const leftOut = isBound ? workspaceScopesOfPreset(options) : [];
  const requestedScopes = [...(preset ? scopePresets[preset] : []), ...(namedScopes ?? [])];
  return ok(scopes.filter((scope) => requestedScopes.includes(scope) && !leftOut.includes(scope)));
}

/** Reports on stderr the scopes that the preset of a key bound to profiles omits. */
export function reportLeftOutScopes(options: KeyOptions, isBound: boolean): void {
  const leftOut = isBound ? workspaceScopesOfPreset(options) : [];
  if (leftOut.length === 0) return;
  printNotice(`Keys bound to profiles cannot have ${leftOut.join(', ')}: omitted from ${options.preset}.`);
}

export const needsRefundLimit = () =>
  usageError(
    'A key with refunds:write needs --refund-limit CURRENCY:PER_REFUND/PER_DAY such as EUR:50/500, or --refund-limit none.',
  );

/**
 * The policy of the options, without its profiles; fields without an option keep their value. `after` returns
 * the time in so many days, `before` is the key’s present approval policy.
 */
export function readPolicy(
  options: KeyOptions,
  after: (days: number) => Date,
  before: ApprovalPolicy | null = null,
): Result<{ -readonly [Name in keyof PolicyChanges]: PolicyChanges[Name] }> {
  const limits = options.refundLimit && readRefundLimits(options.refundLimit);
  if (limits && !limits.ok) return limits;
  const cidrs = options.cidr && readCidrs(options.cidr);
  if (cidrs && !cidrs.ok) return cidrs;
  const approval = readApprovalPolicy(options, before);
  if (!approval.ok) return approval;
  const { expiresInDays: days, hidePersonalData } = options;
  return ok({
    ...(cidrs && { allowedCidrs: cidrs.value }),
    ...(days !== undefined && { expiresAt: days === 'never' ? null : after(days) }),
    ...(limits && { refundCeilings: limits.value }),
    ...(approval.value !== undefined && { approval: approval.value }),
    ...(hidePersonalData !== undefined && { hidePersonalData }),
  });
}

/** The profiles that `--profile` names, null for `any`, undefined without the option. */
export async function findBoundProfiles(
  context: CommandContext,
  workspaceId: WorkspaceId,
  { profile: texts }: KeyOptions,
): Promise<Result<readonly ProfileId[] | null | undefined>> {
  if (!texts) return ok(undefined);
  if (isAny(texts)) return ok(null);
  const ids: ProfileId[] = [];
  for (const text of texts) {
    const profile = await findProfile(context, workspaceId, text);
    if (!profile.ok) return profile;
    ids.push(profile.value.id);
  }
  return ok(ids);
}

function readCidrs(texts: readonly string[]): Result<readonly string[] | null> {
  if (texts.join() === 'any') return ok(null);
  const invalidCidr = texts.find((text) => !isCidr(text));
  return invalidCidr === undefined
    ? ok(texts)
    : usageError(
        `Invalid --cidr ${invalidCidr}: expected an address or a network such as 192.0.2.0/24, or only any.`,
      );
}
