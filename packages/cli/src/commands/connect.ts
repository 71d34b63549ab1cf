import { listProcessRecords, probeProcess, type Config } from '@switchboard/bootstrap';
import type { Call } from '@switchboard/domain';
import { getConnectSession, startConnect, type ConnectSession } from '@switchboard/domain/connections';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findProfile } from '../find-profile.js';
import { withWorkspace } from '../find-workspace.js';
import { presentResult } from '../present-result.js';
import { runAtomically } from '../operator.js';
import { commandOutput, type CommandResult } from '../command-result.js';
import { printNotice } from '../print-notice.js';
import type { CommandContext } from '../with-service.js';

const EXPIRES_MINUTES = 30;
const POLL_MS = 1000;

interface Options {
  readonly workspace?: string;
  readonly profile?: string;
  readonly wait: boolean;
}

export const connect = (program: Command) =>
  program
    .command('connect')
    .description('create a link that connects an account, and wait until it is connected')
    .argument('<platform>', 'see `platforms list`')
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <name>', 'id, name or external id; default: the only one')
    .option('--no-wait', 'print the link and exit')
    .action(
      toAction((platform: string, options: Options) =>
        withWorkspace(options.workspace, async (context, workspace, call) => {
          const profile = await findProfile(context, workspace.id, options.profile);
          if (!profile.ok) return profile;
          const started = await runAtomically(context, call, 'startConnect', (ports) =>
            startConnect(ports, call, {
              platform,
              profileId: profile.value.id,
              expiresInMinutes: EXPIRES_MINUTES,
            }),
          );
          if (!started.ok) return started;
          const { session, url } = started.value;
          const reason = await whyUnreachable(context.service.config);
          if (reason !== null)
            printNotice(`The link is not reachable yet: ${reason}. Run \`switchboard start\`.`);
          if (!options.wait)
            return commandOutput(presentResult(context, call, 'startConnect', started.value).json, url);
          printNotice(`Open this in a browser within ${EXPIRES_MINUTES} minutes:\n${url}`);
          return waitForSession(context, call, session);
        }),
      ),
    );

/** Null when a process of this installation serves the public URL, behind whatever proxy. */
async function whyUnreachable(config: Config): Promise<string | null> {
  const health = await probeProcess(`${config.publicUrl}/healthz`);
  if (health?.status !== 200) return `${config.publicUrl} does not respond`;
  const { instance } = (health.json ?? {}) as { readonly instance?: unknown };
  // Elsewhere than on this machine, where production may run, there is no record of the process.
  const isOurs =
    config.mode === 'production' ||
    listProcessRecords(config).some(({ instance_id }) => instance_id === instance);
  return isOurs ? null : `another installation responds at ${config.publicUrl}`;
}

async function waitForSession(
  context: CommandContext,
  call: Call,
  { id }: ConnectSession,
): Promise<CommandResult> {
  const { ports } = context.service;
  for (;;) {
    const found = await getConnectSession(ports, call, { id });
    if (!found.ok) return found;
    const { status, error } = found.value;
    const { json, sentence } = presentResult(context, call, 'getConnectSession', found.value);
    if (status !== 'pending') {
      return commandOutput(json, error ? `${sentence} ${error.message}` : sentence, status !== 'connected');
    }
    if (call.signal.aborted)
      return commandOutput(json, 'Stopped waiting. The link stays valid until it expires.', true);
    await ports.clock.sleep(POLL_MS, call.signal);
  }
}
