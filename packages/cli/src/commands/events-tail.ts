import { eventTypePatterns, listEvents, type EventTypePattern } from '@switchboard/domain/events';
import { InvalidArgumentError, type Command } from 'commander';
import { commandOutput, type CommandResult } from '../command-result.js';
import { withWorkspace } from '../find-workspace.js';
import { presentResult } from '../present-result.js';
import { toAction } from '../to-action.js';

interface TailOptions {
  readonly workspace?: string;
  readonly type?: readonly EventTypePattern[];
  readonly after: string;
  readonly follow: boolean;
}

const PAGE = 100;
const WAIT_SECONDS = 30;

export const eventsTail = (events: Command) =>
  events
    .command('tail')
    .description('print the events of a workspace as they happen, one a line, until Ctrl-C')
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--type <type>', 'only this type, or post.* for all of posts; repeatable', readType)
    .option('--after <position>', 'where to begin: now, oldest, or what the API returned as after', 'now')
    .option('--no-follow', 'end after the last event')
    .action(
      toAction(async function (this: Command, options: TailOptions) {
        const asJson = this.optsWithGlobals<{ json?: boolean }>().json === true;
        return tail(options, asJson);
      }),
    );

function readType(text: string, before: readonly EventTypePattern[] = []): readonly EventTypePattern[] {
  const pattern = eventTypePatterns.find((one) => one === text);
  if (!pattern) throw new InvalidArgumentError(`Expected one of ${eventTypePatterns.join(', ')}.`);
  return [...before, pattern];
}

const tail = (options: TailOptions, asJson: boolean): Promise<CommandResult> =>
  withWorkspace(options.workspace, async (context, _workspace, call) => {
    const { ports } = context.service;
    let after = options.after === 'oldest' ? undefined : options.after;
    for (;;) {
      const wait = options.follow ? WAIT_SECONDS : 0;
      const listed = await listEvents(ports, call, { after, type: options.type, limit: PAGE, wait });
      if (!listed.ok) return listed;
      const { data } = presentResult(context, call, 'listEvents', listed.value).json as {
        data: PrintedEvent[];
      };
      for (const event of data)
        process.stdout.write(`${asJson ? JSON.stringify(event) : formatLine(event)}\n`);
      ({ after } = listed.value);
      if (context.signal.aborted || (!options.follow && !listed.value.hasMore))
        return commandOutput(null, null);
    }
  });

interface PrintedEvent {
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const formatLine = ({ type, created_at: createdAt, data }: PrintedEvent) =>
  `${createdAt}  ${type.padEnd(26)}  ${JSON.stringify(data)}`;
