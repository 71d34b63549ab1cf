import { configFor, describeUnknownVariables, ConfigurationError, type Config } from '@switchboard/bootstrap';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { checkDatabase } from '../doctor/check-database.js';
import { checkEmail } from '../doctor/check-email.js';
import { checkDataDirectory, checkKeyFiles, checkNode } from '../doctor/check-machine.js';
import { checkExternalPlatforms } from '../doctor/check-external-platforms.js';
import { checkPlatforms } from '../doctor/check-platforms.js';
import { checkPorts } from '../doctor/check-ports.js';
import { checkSignIn } from '../doctor/check-sign-in.js';
import { passedCheck, failedCheck, warnedCheck, type Check } from '../doctor/check.js';
import { commandOutput } from '../command-result.js';

export const doctor = (program: Command) =>
  program
    .command('doctor')
    .description('check the requirements for a start, and report how to fix problems')
    .option('--platform <id>', 'also check the configuration of this platform')
    .action(
      toAction(async ({ platform }: { platform?: string }) => {
        const checks = [checkNode(), ...(await runChecks(platform))];
        const ok = checks.every((check) => check.ok);
        return commandOutput({ ok, checks }, checks.map(formatCheck).join('\n'), !ok);
      }),
    );

async function runChecks(platform: string | undefined): Promise<readonly Check[]> {
  let config: Config;
  try {
    config = configFor('cli');
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return [failedCheck('configuration', error.message, 'Fix this first; the other checks depend on it.')];
  }
  const database = await checkDatabase(config);
  return [
    passedCheck('configuration', `${config.mode} mode`),
    ...describeUnknownVariables().map((detail) =>
      warnedCheck('configuration', detail, 'Rename or remove it.'),
    ),
    await checkDataDirectory(config),
    ...(await checkKeyFiles(config)),
    ...database.checks,
    ...(await checkPorts(config)),
    ...(await checkSignIn(config)),
    ...(await checkEmail(config)),
    ...(await checkPlatforms(config, platform, database.ownApps)),
    ...checkExternalPlatforms(config, database.adapterFaults),
  ];
}

const formatCheck = ({ name, ok, detail, advice }: Check) =>
  `${labelOf(ok, advice)}  ${name.padEnd(14)}  ${detail}${advice === null ? '' : ` → ${advice}`}`;

function labelOf(ok: boolean, advice: string | null): string {
  if (!ok) return 'PROBLEM';
  return advice === null ? 'ok     ' : 'WARNING';
}
