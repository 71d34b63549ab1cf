import { askOwnProcess } from '@switchboard/bootstrap';
import { getConnectSession, startConnect, type Call, type ConnectSession } from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { findProfile } from '../find-profile.js';
import { findWorkspace } from '../find-workspace.js';
import { shown } from '../operation.js';
import { atomically, operatorCall } from '../operator.js';
import { answer, type Outcome } from '../outcome.js';
import { tell } from '../tell.js';
import { withService, type Desk } from '../with-service.js';

const EXPIRES_MINUTES = 30;
const LOOK_MS = 1000;

interface Options {
  readonly workspace?: string;
  readonly profile?: string;
  readonly wait: boolean;
}

export const connect = (program: Command) =>
  program
    .command('connect')
    .description('make a link that connects an account, and wait until it is connected')
    .argument('<platform>', 'see `platforms list`')
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <name>', 'id, name or external id; default: the only one')
    .option('--no-wait', 'print the link and end')
    .action(
      act((platform: string, options: Options) =>
        withService(async (desk) => {
          const workspace = await findWorkspace(desk, options.workspace);
          if (!workspace.ok) return workspace;
          const profile = await findProfile(desk, workspace.value.id, options.profile);
          if (!profile.ok) return profile;
          const call = operatorCall(desk, workspace.value.id);
          const started = await atomically(
            desk,
            call,
            'startConnect',
            (ports) =>
              startConnect(ports, call, {
                platform,
                profileId: profile.value.id,
                expiresInMinutes: EXPIRES_MINUTES,
              }),
            ({ session }) => session.id,
          );
          if (!started.ok) return started;
          const { session, url } = started.value;
          const served = await askOwnProcess(`${desk.service.config.publicUrl}/healthz`);
          if (served?.status !== 200) {
            tell(
              `Nothing serves the link yet: ${desk.service.config.publicUrl} does not answer. Run \`switchboard start\`.`,
            );
          }
          if (!options.wait) return answer(shown(desk, call, 'startConnect', started.value).json, url);
          tell(`Open this in a browser within ${EXPIRES_MINUTES} minutes:\n${url}`);
          return waitFor(desk, call, session);
        }),
      ),
    );

async function waitFor(desk: Desk, call: Call, { id }: ConnectSession): Promise<Outcome> {
  const { ports } = desk.service;
  for (;;) {
    const found = await getConnectSession(ports, call, { id });
    if (!found.ok) return found;
    const { status, error } = found.value;
    const { json, sentence } = shown(desk, call, 'getConnectSession', found.value);
    if (status !== 'pending') {
      return answer(json, error ? `${sentence} ${error.message}` : sentence, status !== 'connected');
    }
    if (call.signal.aborted)
      return answer(json, 'Not waiting any longer. The link stays good until it expires.', true);
    await ports.clock.sleep(LOOK_MS, call.signal);
  }
}
