import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'dotenv';
import { ConfigurationError } from './configuration-error.js';
import { deriveConfig, type Config } from './config.js';
import { environment, root } from './environment.js';

/**
 * Reads the environment (and `.env`, outside production); an invalid value is reported in one line with the
 * variable and the expected value.
 */
export function readConfig(
  env: NodeJS.ProcessEnv = process.env,
  platformIds: readonly string[] = [],
  defaults: Readonly<Record<string, string>> = {},
): Config {
  const variables = { ...defaults, ...readVariables(env) };
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

/** The variables of the environment, and of `.env` outside production. An empty one counts as not set. */
export function readVariables(
  env: NodeJS.ProcessEnv = process.env,
): Readonly<Record<string, string | undefined>> {
  const file = path.join(root, '.env');
  const fromFile: Record<string, string> =
    env['NODE_ENV'] !== 'production' && existsSync(file) ? parse(readFileSync(file)) : {};
  // The environment replaces both forms of the key in the file.
  if (env['SWITCHBOARD_API_KEY_FILE']) delete fromFile['SWITCHBOARD_API_KEY'];
  if (env['SWITCHBOARD_API_KEY']) delete fromFile['SWITCHBOARD_API_KEY_FILE'];
  return Object.fromEntries(Object.entries({ ...fromFile, ...env }).filter(([, value]) => value !== ''));
}

/** `installationVariables` for the environment of this process. */
export const ownInstallationVariables = () =>
  installationVariables(process.env, Object.keys(environment.shape));

/** Variables that each process sets itself, or derives from the following. */
const PROCESS_VARIABLES = [
  'HOST',
  'LOG_LEVEL',
  'MCP_PORT',
  'NODE_DEBUG',
  'PORT',
  'SWITCHBOARD_API_KEY',
  'SWITCHBOARD_API_KEY_FILE',
  'SWITCHBOARD_DATA_DIR',
  'SWITCHBOARD_HEALTH_PORT',
  'SWITCHBOARD_METRICS_TOKEN',
  'SWITCHBOARD_PUBLIC_URL',
  'SWITCHBOARD_ROLES',
];
const PLATFORM_VARIABLE =
  /^SWITCHBOARD_[A-Z_]+_(CLIENT_ID|CLIENT_SECRET|BASE_URL|AUTH_BASE_URL|API_VERSION|USER_AGENT)$/;
const SECRET_VARIABLE =
  /(DATABASE_URL|_SMTP_URL|_MASTER_KEYS|_SECRET|_SECRET_ACCESS_KEY|_TOKEN|_OTLP_HEADERS|_TRACES_HEADERS)$/;

/**
 * The environment variables of this process that another process of the same installation also needs, when it
 * is started with its own environment. Variables of `.env` are omitted: the other process reads that file
 * too.
 */
function installationVariables(env: NodeJS.ProcessEnv, known: readonly string[]) {
  const shared: Record<string, string> = {};
  /** Names only. */
  const withheld: string[] = [];
  for (const [name, value = ''] of Object.entries(env)) {
    const isShared =
      PLATFORM_VARIABLE.test(name) || (known.includes(name) && !PROCESS_VARIABLES.includes(name));
    if (value === '' || !isShared) continue;
    if (SECRET_VARIABLE.test(name)) withheld.push(name);
    else shared[name] = value;
  }
  return { shared, withheld };
}
