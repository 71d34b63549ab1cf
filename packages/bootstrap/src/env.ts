import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'dotenv';
import { ConfigurationError } from './configuration-error.js';
import { deriveConfig, type Config } from './config.js';
import { environment, root } from './environment.js';
import { installationVariables } from './installation-variables.js';

/**
 * Reads the environment (and `.env`, outside production); an invalid value is reported in one line with the
 * variable and the expected value.
 */
export function readConfig(
  env: NodeJS.ProcessEnv = process.env,
  platformIds: readonly string[] = [],
  defaults: Readonly<Record<string, string>> = {},
): Config {
  const file = path.join(root, '.env');
  const fromFile: Record<string, string> =
    env['NODE_ENV'] !== 'production' && existsSync(file) ? parse(readFileSync(file)) : {};
  // The environment replaces both forms of the key in the file.
  if (env['SWITCHBOARD_API_KEY_FILE']) delete fromFile['SWITCHBOARD_API_KEY'];
  if (env['SWITCHBOARD_API_KEY']) delete fromFile['SWITCHBOARD_API_KEY_FILE'];
  // An empty variable counts as not set.
  const variables: Record<string, string | undefined> = {
    ...defaults,
    ...Object.fromEntries(Object.entries({ ...fromFile, ...env }).filter(([, value]) => value !== '')),
  };
  const parsed = environment.safeParse(variables);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0] ?? 'the environment');
    throw new ConfigurationError(
      `${name} is invalid: ${(issue?.message ?? '').replace(/^Invalid input: /, '')}. See docs/configuration.md.`,
    );
  }
  return deriveConfig(parsed.data, variables, platformIds);
}

/** `installationVariables` for the environment of this process. */
export const ownInstallationVariables = () =>
  installationVariables(process.env, Object.keys(environment.shape));
