import { describeTime, getQueue, updateQueue, type QueueView } from '@switchboard/domain/posts';
import type { Call } from '@switchboard/domain';
import { InvalidArgumentError, type Command } from 'commander';
import { commandOutput, type CommandResult } from '../command-result.js';
import { findProfile } from '../find-profile.js';
import { withWorkspace } from '../find-workspace.js';
import { runAtomically } from '../operator.js';
import { readTimezone, readWithin, splitList } from '../options.js';
import { findInputProblem, presentResult } from '../present-result.js';
import { table } from '../table.js';
import { toAction } from '../to-action.js';
import type { CommandContext } from '../with-service.js';

interface ProfileOptions {
  readonly workspace?: string;
  readonly profile?: string;
}

const ofProfile = (command: Command) =>
  command
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <profile>', 'id, name or external id; default: the only one');

export const queueShow = (queue: Command) =>
  ofProfile(queue.command('show').description('show the posting slots of a profile, and the coming ones'))
    .option('--limit <count>', 'coming slots', readWithin(1, 100), 20)
    .action(
      toAction(({ limit, ...owner }: ProfileOptions & { limit: number }) =>
        withProfile(owner, async (context, call, id) => {
          const found = await getQueue(context.service.ports, call, { id, limit });
          return found.ok ? describeQueue(context, call, 'getQueue', found.value) : found;
        }),
      ),
    );

interface SetOptions extends ProfileOptions {
  readonly timezone?: string;
  readonly reassign?: boolean;
}

export const queueSet = (queue: Command) =>
  ofProfile(queue.command('set').description('replace the posting slots of a profile; none ends its queue'))
    .argument('[slots...]', 'weekdays with their times, such as monday=09:00,18:30', collectSlots)
    .option('--timezone <zone>', 'IANA time zone of the slots; default: unchanged', readTimezone)
    .option('--reassign', 'move the queued posts to the new slots, in their order')
    .action(
      toAction((slots: readonly Slot[] = [], { timezone, reassign, ...owner }: SetOptions) =>
        withProfile(owner, async (context, call, id) => {
          const problem = findInputProblem('updateQueue', { id, slots, timezone, reassign });
          if (problem) return problem;
          const updated = await runAtomically(context, call, 'updateQueue', (ports) =>
            updateQueue(ports, call, {
              id,
              slots: slots as QueueView['slots'],
              timezone,
              reassign,
            }),
          );
          return updated.ok ? describeQueue(context, call, 'updateQueue', updated.value) : updated;
        }),
      ),
    );

const withProfile = (
  { workspace, profile: profileRef }: ProfileOptions,
  run: (context: CommandContext, call: Call, profileId: string) => Promise<CommandResult>,
): Promise<CommandResult> =>
  withWorkspace(workspace, async (context, { id }, call) => {
    const profile = await findProfile(context, id, profileRef);
    return profile.ok ? run(context, call, profile.value.id) : profile;
  });

interface Slot {
  readonly weekday: string;
  readonly time: string;
}

function collectSlots(text: string, before: readonly Slot[] = []): readonly Slot[] {
  const [weekday = '', times, ...more] = text.split('=');
  if (times === undefined || more.length > 0)
    throw new InvalidArgumentError('Expected a weekday with times, such as monday=09:00,18:30.');
  return [...before, ...splitList(times).map((time) => ({ weekday: weekday.toLowerCase(), time }))];
}

function describeQueue(context: CommandContext, call: Call, operation: string, queue: QueueView) {
  const { json, sentence } = presentResult(context, call, operation, queue);
  const rows = queue.coming.map(({ at, postId }) => [describeTime(at, queue.timezone), postId ?? 'free']);
  return commandOutput(json, `${sentence}\n${table(['slot', 'post'], rows, 'No coming slots.')}`);
}
