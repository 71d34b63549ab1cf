import type { Call, FailureCode, Result } from '@switchboard/domain';
import { updateConnection, type ConnectionView } from '@switchboard/domain/connections';
import {
  pauseInstallation,
  pauseProfile,
  resumeInstallation,
  resumeProfile,
} from '@switchboard/domain/pauses';
import type { AtomicPorts } from '@switchboard/domain/ports';
import type { Profile } from '@switchboard/domain/profiles';
import { presentPause } from '@switchboard/operations';
import type { Command } from 'commander';
import { commandOutput, usageError, type CommandResult } from '../command-result.js';
import { findProfile } from '../find-profile.js';
import { withWorkspace } from '../find-workspace.js';
import { runAtomically } from '../operator.js';
import { findInputProblem, presentResult } from '../present-result.js';
import { toAction } from '../to-action.js';
import { withService } from '../with-service.js';

interface ScopeOptions {
  readonly profile?: string;
  readonly connection?: string;
  readonly workspace?: string;
}

interface PauseOptions extends ScopeOptions {
  readonly reason?: string;
}

const OPERATOR = 'system:operator';

const withScopeOptions = (command: Command) =>
  command
    .option('--profile <name>', 'only this profile: id, name or external id')
    .option('--connection <id>', 'only this connection')
    .option('--workspace <name>', 'of the profile or connection, id or name; default: the only one');

export const pause = (program: Command) =>
  withScopeOptions(
    program
      .command('pause')
      .description('hold the posts and refunds of the installation, a profile or a connection'),
  )
    .option('--reason <text>', 'why, for people')
    .action(
      toAction(async ({ reason, ...scope }: PauseOptions): Promise<CommandResult> => {
        const problem = findInputProblem('pauseProfile', { id: 'prf_', reason }) ?? findScopeProblem(scope);
        if (problem) return problem;
        if (scope.profile !== undefined)
          return changeProfile(scope, 'pauseProfile', (ports, call, { id }) =>
            pauseProfile(ports, call, { id, reason }),
          );
        if (scope.connection !== undefined)
          return changeConnection(scope, 'Paused', (ports, call, id) =>
            updateConnection(ports, call, { id, paused: true, pauseReason: reason }),
          );
        return pauseEverything(reason);
      }),
    );

export const resume = (program: Command) =>
  withScopeOptions(
    program.command('resume').description('send what was held; posts beyond their not_after become missed'),
  )
    .option('--force', 'also a database that was moved away')
    .action(
      toAction(
        async ({ force = false, ...scope }: ScopeOptions & { force?: boolean }): Promise<CommandResult> => {
          const problem = findScopeProblem(scope);
          if (problem) return problem;
          if (scope.profile !== undefined)
            return changeProfile(scope, 'resumeProfile', (ports, call, { id }) =>
              resumeProfile(ports, call, { id }),
            );
          if (scope.connection !== undefined)
            return changeConnection(scope, 'Resumed', (ports, call, id) =>
              updateConnection(ports, call, { id, paused: false }),
            );
          return resumeEverything(force);
        },
      ),
    );

function findScopeProblem({ profile, connection, workspace }: ScopeOptions) {
  if (profile !== undefined && connection !== undefined)
    return usageError('Name either a profile or a connection.');
  if (workspace !== undefined && profile === undefined && connection === undefined)
    return usageError(
      'Name a profile or a connection of the workspace: a workspace is not paused as a whole.',
    );
  return null;
}

const pauseEverything = (reason: string | undefined): Promise<CommandResult> =>
  withService(async ({ service: { ports } }) => {
    const paused = await ports.transactions.run(
      (tx) => pauseInstallation({ ...ports, ...tx }, { cause: 'requested', by: OPERATOR, reason }),
      'lasting',
    );
    if (!paused.ok) return paused;
    return commandOutput(
      { pause: presentPause(paused.value) },
      'Paused the installation: posts and refunds are held until `switchboard resume`. What is being sent is completed.',
    );
  });

const resumeEverything = (force: boolean): Promise<CommandResult> =>
  withService(async ({ service: { ports } }) => {
    const resumed = await ports.transactions.run(async (tx) => {
      const { pause: current } = await tx.pauses.findInstallation();
      // Its successor sends the same posts and refunds, also those that become due later.
      if (current?.cause === 'moved_away' && !force)
        return usageError(
          `${current.reason ?? 'This database was moved.'} Both would send the same posts and refunds. If that database is discarded, use \`switchboard resume --force\`.`,
        );
      return resumeInstallation({ ...ports, ...tx }, { by: OPERATOR });
    }, 'lasting');
    if (!resumed.ok) return resumed;
    const { pause: ended, readBack } = resumed.value;
    const sentence =
      ended === null
        ? 'The installation is not paused.'
        : readBack === 0
          ? 'Resumed the installation: what became due is sent now, except what is beyond its not_after.'
          : `Resumed the installation. Another one may have sent ${readBack} overdue posts and refunds: they are looked up at their platforms before they are sent.`;
    return commandOutput({ pause: null, ended: presentPause(ended), read_back: readBack }, sentence);
  });

const changeProfile = <Code extends FailureCode>(
  { workspace: workspaceRef, profile: profileRef }: ScopeOptions,
  operation: 'pauseProfile' | 'resumeProfile',
  useCase: (ports: AtomicPorts, call: Call, profile: Profile) => Promise<Result<Profile, Code>>,
): Promise<CommandResult> =>
  withWorkspace(workspaceRef, async (context, workspace, call) => {
    const found = await findProfile(context, workspace.id, profileRef);
    if (!found.ok) return found;
    const changed = await runAtomically(context, call, operation, (ports) =>
      useCase(ports, call, found.value),
    );
    if (!changed.ok) return changed;
    const { json } = presentResult(context, call, operation, changed.value);
    const { name, id } = changed.value;
    const sentence =
      operation === 'pauseProfile'
        ? `Paused ${name} (${id}): its posts and refunds are held until \`switchboard resume --profile ${id}\`.`
        : `Resumed ${name} (${id}).`;
    return commandOutput(json, sentence);
  });

const changeConnection = <Code extends FailureCode>(
  { workspace: workspaceRef, connection: id = '' }: ScopeOptions,
  verb: 'Paused' | 'Resumed',
  useCase: (ports: AtomicPorts, call: Call, id: string) => Promise<Result<ConnectionView, Code>>,
): Promise<CommandResult> =>
  withWorkspace(workspaceRef, async (context, _workspace, call) => {
    const changed = await runAtomically(context, call, 'updateConnection', (ports) =>
      useCase(ports, call, id),
    );
    if (!changed.ok) return changed;
    const { json } = presentResult(context, call, 'updateConnection', changed.value);
    return commandOutput(json, `${verb} ${id}.`);
  });
