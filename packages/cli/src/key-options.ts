import {
  isCidr,
  isScope,
  ok,
  parseId,
  scopePresets,
  scopes,
  type ProfileId,
  type Result,
  type Scope,
  type WantedPolicy,
} from '@switchboard/domain';
import { Option, type Command } from 'commander';
import { collect, listOf, readDaysOrNever } from './options.js';
import { misused } from './outcome.js';
import { readRefundLimits } from './read-refund-limits.js';

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
    .option('--scopes <list>', 'scopes, separated by commas; added to the preset’s', listOf)
    .option('--profile <id>', 'bind it to this profile; may be repeated; any for no bond', collect)
    .option('--cidr <network>', 'where it may be used from; may be repeated; any for anywhere', collect)
    .option('--expires-in-days <days>', 'or never', readDaysOrNever)
    .option('--refund-limit <limit>', 'EUR:50/500 a refund and a UTC day; may be repeated; or none', collect)
    .option('--hide-personal-data', 'mask names, e-mails and addresses of orders')
    .option('--no-hide-personal-data', 'show them');

/** Scopes where they are said, in the order in which they are documented; null where they are not. */
export function readScopes({ preset, scopes: named }: KeyOptions): Result<readonly Scope[] | null> {
  const unknown = named?.find((scope) => !isScope(scope));
  if (unknown !== undefined) return misused(`There is no scope ${unknown}. There are ${scopes.join(', ')}.`);
  if (!preset && !named) return ok(null);
  const wanted = [...(preset ? scopePresets[preset] : []), ...(named ?? [])];
  return ok(scopes.filter((scope) => wanted.includes(scope)));
}

export const needsRefundLimit = () =>
  misused(
    'A key with refunds:write needs --refund-limit CURRENCY:PER_REFUND/PER_DAY such as EUR:50/500, or --refund-limit none.',
  );

/** What is said of the policy; what is not said stays as it is. `after` tells the time in so many days. */
export function readPolicy(
  options: KeyOptions,
  after: (days: number) => Date,
): Result<{ -readonly [Name in keyof WantedPolicy]: WantedPolicy[Name] }> {
  const limits = options.refundLimit && readRefundLimits(options.refundLimit);
  if (limits && !limits.ok) return limits;
  const profileIds = options.profile && readProfiles(options.profile);
  if (profileIds && !profileIds.ok) return profileIds;
  const cidrs = options.cidr && readCidrs(options.cidr);
  if (cidrs && !cidrs.ok) return cidrs;
  const { expiresInDays: days, hidePersonalData } = options;
  return ok({
    ...(profileIds && { profileIds: profileIds.value }),
    ...(cidrs && { allowedCidrs: cidrs.value }),
    ...(days !== undefined && { expiresAt: days === 'never' ? null : after(days) }),
    ...(limits && { refundCeilings: limits.value }),
    ...(hidePersonalData !== undefined && { hidePersonalData }),
  });
}

function readProfiles(texts: readonly string[]): Result<readonly ProfileId[] | null> {
  if (texts.join() === 'any') return ok(null);
  const ids: ProfileId[] = [];
  for (const text of texts) {
    const id = parseId('prf', text);
    if (!id)
      return misused(
        `--profile ${text}: it is the id of a profile, prf_…; see \`switchboard profiles list\`.`,
      );
    ids.push(id);
  }
  return ok(ids);
}

function readCidrs(texts: readonly string[]): Result<readonly string[] | null> {
  if (texts.join() === 'any') return ok(null);
  const wrong = texts.find((text) => !isCidr(text));
  return wrong === undefined
    ? ok(texts)
    : misused(`--cidr ${wrong}: it is an address or a network such as 192.0.2.0/24, or any alone.`);
}
