import {
  isCidr,
  isScope,
  ok,
  scopePresets,
  scopes,
  workspaceWideScopes,
  type ProfileId,
  type Result,
  type Scope,
  type PolicyChanges,
  type WorkspaceId,
} from '@switchboard/domain';
import { Option, type Command } from 'commander';
import { findProfile } from './find-profile.js';
import { collectValues, splitList, readDaysOrNever } from './options.js';
import { usageError } from './command-result.js';
import { readRefundLimits } from './read-refund-limits.js';
import { printNotice } from './print-notice.js';
import type { CommandContext } from './with-service.js';

/** What can be said of a key when it is made and when it is changed. */
export interface KeyOptions {
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
      'bind it to this profile: its id, name or external id; may be repeated; any for no bond',
      collectValues,
    )
    .option('--cidr <network>', 'where it may be used from; may be repeated; any for anywhere', collectValues)
    .option('--expires-in-days <days>', 'or never', readDaysOrNever)
    .option(
      '--refund-limit <limit>',
      'EUR:50/500 a refund and a UTC day; may be repeated; or none',
      collectValues,
    )
    .option('--hide-personal-data', 'mask names, e-mails and addresses of orders')
    .option('--no-hide-personal-data', 'show them');

/** Whether `--profile` binds the key to profiles; undefined without the option. */
export const bindsToProfiles = ({ profile }: KeyOptions): boolean | undefined => profile && !isAny(profile);

const isAny = (texts: readonly string[]) => texts.join() === 'any';

/** Scopes that a preset contains and that a key which is bound to profiles cannot hold. */
const workspaceScopesOfPreset = ({ preset, scopes: namedScopes }: KeyOptions): readonly Scope[] =>
  preset
    ? scopePresets[preset].filter(
        (scope) => workspaceWideScopes.includes(scope) && !namedScopes?.includes(scope),
      )
    : [];

/**
 * The scopes of the preset and of `--scopes`, in the order in which they are documented; null when neither option is given. The
 * preset of a key that is bound to profiles leaves out the scopes that such a key cannot hold. A scope that `--scopes` names
 * stays, so that the use case refuses it.
 */
export function readScopes(options: KeyOptions, isBound: boolean): Result<readonly Scope[] | null> {
  const { preset, scopes: namedScopes } = options;
  const unknown = namedScopes?.find((scope) => !isScope(scope));
  if (unknown !== undefined)
    return usageError(`There is no scope ${unknown}. There are ${scopes.join(', ')}.`);
  if (!preset && !namedScopes) return ok(null);
  const leftOut = isBound ? workspaceScopesOfPreset(options) : [];
  const requestedScopes = [...(preset ? scopePresets[preset] : []), ...(namedScopes ?? [])];
  return ok(scopes.filter((scope) => requestedScopes.includes(scope) && !leftOut.includes(scope)));
}

/** Reports on stderr what the preset of a key that is bound to profiles leaves out. */
export function reportLeftOutScopes(options: KeyOptions, isBound: boolean): void {
  const leftOut = isBound ? workspaceScopesOfPreset(options) : [];
  if (leftOut.length === 0) return;
  printNotice(
    `A key that is bound to profiles cannot hold ${leftOut.join(', ')}: left out of ${options.preset}.`,
  );
}

export const needsRefundLimit = () =>
  usageError(
    'A key with refunds:write needs --refund-limit CURRENCY:PER_REFUND/PER_DAY such as EUR:50/500, or --refund-limit none.',
  );

/** The policy that the options ask for, except for its profiles; what no option names stays as it is. `after` tells the time in so many days. */
export function readPolicy(
  options: KeyOptions,
  after: (days: number) => Date,
): Result<{ -readonly [Name in keyof PolicyChanges]: PolicyChanges[Name] }> {
  const limits = options.refundLimit && readRefundLimits(options.refundLimit);
  if (limits && !limits.ok) return limits;
  const cidrs = options.cidr && readCidrs(options.cidr);
  if (cidrs && !cidrs.ok) return cidrs;
  const { expiresInDays: days, hidePersonalData } = options;
  return ok({
    ...(cidrs && { allowedCidrs: cidrs.value }),
    ...(days !== undefined && { expiresAt: days === 'never' ? null : after(days) }),
    ...(limits && { refundCeilings: limits.value }),
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
    : usageError(`--cidr ${invalidCidr}: it is an address or a network such as 192.0.2.0/24, or any alone.`);
}
