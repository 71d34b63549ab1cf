import {
  createKey,
  isScope,
  parseId,
  scopePresets,
  scopes,
  type ProfileId,
  type Scope,
} from '@switchboard/domain';
import { presentNewKey } from '@switchboard/operations';
import { Option, type Command } from 'commander';
import { act } from '../act.js';
import { findWorkspace } from '../find-workspace.js';
import { collect, listOf, readDays, readName } from '../options.js';
import { atomically, operatorCall } from '../operator.js';
import { answer, misused } from '../outcome.js';
import { readRefundLimits } from '../read-refund-limits.js';
import { tell } from '../tell.js';
import { withService } from '../with-service.js';

interface Options {
  readonly name: string;
  readonly preset?: keyof typeof scopePresets;
  readonly scopes?: readonly string[];
  readonly profile: readonly string[];
  readonly expiresInDays?: number;
  readonly refundLimit: readonly string[];
  readonly workspace?: string;
}

const DAY_MS = 86_400_000;

export const keysCreate = (keys: Command) =>
  keys
    .command('create')
    .description('make an API key; it is shown once')
    .requiredOption('--name <name>', 'what it is for', readName)
    .addOption(new Option('--preset <set>', 'a set of scopes').choices(Object.keys(scopePresets)))
    .option('--scopes <list>', 'scopes, separated by commas; added to the preset’s', listOf)
    .option('--profile <id>', 'bind it to this profile; may be repeated', collect, [])
    .option('--expires-in-days <days>', 'default: never', readDays)
    .option(
      '--refund-limit <limit>',
      'EUR:50/500 a refund and a UTC day; may be repeated; or none',
      collect,
      [],
    )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(act(create));

async function create({ name, expiresInDays, ...options }: Options) {
  const unknown = options.scopes?.find((scope) => !isScope(scope));
  if (unknown !== undefined) return misused(`There is no scope ${unknown}. There are ${scopes.join(', ')}.`);
  const wanted = [...(options.preset ? scopePresets[options.preset] : []), ...(options.scopes ?? [])];
  const held: readonly Scope[] = scopes.filter((scope) => wanted.includes(scope));
  if (held.length === 0) return misused('Say what the key may do: --preset agent|reader|full, or --scopes.');
  if (held.includes('refunds:write') && options.refundLimit.length === 0) {
    return misused(
      'A key with refunds:write needs --refund-limit CURRENCY:PER_REFUND/PER_DAY such as EUR:50/500, or --refund-limit none.',
    );
  }
  const limits = readRefundLimits(options.refundLimit);
  if (!limits.ok) return limits;
  const profileIds: ProfileId[] = [];
  for (const text of options.profile) {
    const id = parseId('prf', text);
    if (!id)
      return misused(
        `--profile ${text}: it is the id of a profile, prf_…; see \`switchboard profiles list\`.`,
      );
    profileIds.push(id);
  }
  return withService(async (desk) => {
    const workspace = await findWorkspace(desk, options.workspace);
    if (!workspace.ok) return workspace;
    const call = operatorCall(desk, workspace.value.id);
    const { clock } = desk.service.ports;
    const policy = {
      profileIds: profileIds.length > 0 ? profileIds : null,
      expiresAt: expiresInDays === undefined ? null : clock.after(expiresInDays * DAY_MS),
      refundCeilings: options.refundLimit.length > 0 ? limits.value : null,
    };
    const created = await atomically(
      desk,
      call,
      'createKey',
      (ports) => createKey(ports, call, { name, scopes: held, policy }),
      ({ key }) => key.id,
    );
    if (!created.ok) return created;
    const { key, token } = created.value;
    tell(`Created ${key.name} (${key.id}). The key is shown this once:`);
    return answer(presentNewKey(created.value), token.reveal());
  });
}
