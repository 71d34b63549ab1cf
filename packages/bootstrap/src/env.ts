import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'dotenv';
import { z } from 'zod';
import { ConfigurationError } from './configuration-error.js';
import { deriveConfig, type Config } from './config.js';
import { installationVariables } from './installation-variables.js';

/** The repository's root: three folders above `packages/bootstrap/dist`. */
export const root = path.resolve(import.meta.dirname, '../../..');

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const flag = z.stringbool({ truthy: ['1', 'true', 'yes', 'on'], falsy: ['0', 'false', 'no', 'off', ''] });
const port = z.coerce.number().int().min(1).max(65_535);
const origin = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));

const rateLimit = z
  .string()
  .regex(
    /^[1-9]\d{0,8}(\/[1-9]\d{0,4}s)?$/,
    'requests a minute such as 600, or requests and seconds such as 100/10s',
  );

const statementSeconds = z.coerce.number().int().min(1).max(86_400);

const KEY_SERVICE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

const schema = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('development'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'a URL that begins with postgresql://')
    .optional(),
  SWITCHBOARD_DIRECT_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'a URL that begins with postgresql://')
    .optional(),
  SWITCHBOARD_STATEMENT_TIMEOUT: statementSeconds.default(10),
  SWITCHBOARD_BACKGROUND_STATEMENT_TIMEOUT: statementSeconds.default(300),
  SWITCHBOARD_DATA_DIR: z.string().default(path.join(root, '.switchboard')),
  SWITCHBOARD_MIGRATE: z.enum(['auto', 'check']).default('auto'),
  SWITCHBOARD_ALLOW_DEV: flag.default(false),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(3000),
  MCP_PORT: port.default(3001),
  SWITCHBOARD_PUBLIC_URL: origin.optional(),
  SWITCHBOARD_MCP_PUBLIC_URL: origin.optional(),
  SWITCHBOARD_MCP_ALLOWED_ORIGINS: list.default([]),
  SWITCHBOARD_TRUSTED_PROXIES: list.default([]),
  SWITCHBOARD_RATE_LIMIT: rateLimit.default('600'),
  SWITCHBOARD_WORKSPACE_RATE_LIMIT: rateLimit.default('6000'),
  SWITCHBOARD_UNAUTHENTICATED_RATE_LIMIT: z.coerce.number().int().min(1).optional(),
  /** The former name of SWITCHBOARD_UNAUTHENTICATED_RATE_LIMIT, which counts where both are set. */
  SWITCHBOARD_STRANGERS_RATE_LIMIT: z.coerce.number().int().min(1).optional(),
  SWITCHBOARD_TLS_CERT: z.string().optional(),
  SWITCHBOARD_TLS_KEY: z.string().optional(),
  SWITCHBOARD_ROLES: list.pipe(z.array(z.enum(['http', 'worker'])).min(1)).default(['http', 'worker']),
  SWITCHBOARD_SANDBOX: flag.optional(),
  SWITCHBOARD_SANDBOX_PORT: port.default(3002),
  SWITCHBOARD_ALLOW_PRIVATE_HOSTS: list.default([]),
  SWITCHBOARD_MASTER_KEYS: z.string().optional(),
  SWITCHBOARD_MASTER_KEYS_FILE: z
    .string()
    .refine((file) => path.isAbsolute(file), 'an absolute path')
    .optional(),
  SWITCHBOARD_TRANSIT_URL: origin.optional(),
  SWITCHBOARD_TRANSIT_TOKEN: z.string().optional(),
  SWITCHBOARD_TRANSIT_TOKEN_FILE: z
    .string()
    .refine((file) => path.isAbsolute(file), 'an absolute path')
    .optional(),
  SWITCHBOARD_TRANSIT_KEY: z
    .string()
    .regex(KEY_SERVICE_NAME, 'letters, digits, and . _ -')
    .default('switchboard'),
  SWITCHBOARD_TRANSIT_MOUNT: z
    .string()
    .regex(/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/, 'a path of letters, digits, _ and -')
    .default('transit'),
  SWITCHBOARD_TRANSIT_NAMESPACE: z.string().optional(),
  SWITCHBOARD_API_KEY: z.string().optional(),
  SWITCHBOARD_API_KEY_FILE: z
    .string()
    .refine((file) => path.isAbsolute(file), 'an absolute path')
    .optional(),
  SWITCHBOARD_TOOLSETS: list.pipe(z.array(z.enum(['social', 'commerce', 'connections', 'admin']))).optional(),
  SWITCHBOARD_READ_ONLY: flag.default(false),
  SWITCHBOARD_METRICS_TOKEN: z.string().min(16, 'at least 16 characters').optional(),
  SWITCHBOARD_MEDIA_S3_BUCKET: z.string().optional(),
  SWITCHBOARD_MEDIA_S3_REGION: z.string().default('us-east-1'),
  SWITCHBOARD_MEDIA_S3_ENDPOINT: origin.optional(),
  SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: z.string().optional(),
  SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY: z.string().optional(),
  SWITCHBOARD_MEDIA_S3_FORCE_PATH_STYLE: flag.optional(),
  SWITCHBOARD_MEDIA_S3_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_./-]*$/, 'letters, digits, and _ . / -')
    .transform((text) => text.replace(/^\/+|\/+$/g, ''))
    .default(''),
  SWITCHBOARD_BLUESKY_PLC_URL: origin.optional(),
  SWITCHBOARD_BLUESKY_HANDLE_RESOLVER_URL: origin.optional(),
  NODE_DEBUG: z
    .undefined({ error: 'unset it, or Node prints the headers of requests with the secrets in them' })
    .optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
});

export type Environment = z.output<typeof schema>;

/** Reads the environment (and `.env`, outside production); anything wrong is one line that names the variable and says what is expected. */
export function readConfig(
  env: NodeJS.ProcessEnv = process.env,
  platformIds: readonly string[] = [],
  defaults: Readonly<Record<string, string>> = {},
): Config {
  const file = path.join(root, '.env');
  const fromFile: Record<string, string> =
    env['NODE_ENV'] !== 'production' && existsSync(file) ? parse(readFileSync(file)) : {};
  // The environment replaces either form of the key that the file names.
  if (env['SWITCHBOARD_API_KEY_FILE']) delete fromFile['SWITCHBOARD_API_KEY'];
  if (env['SWITCHBOARD_API_KEY']) delete fromFile['SWITCHBOARD_API_KEY_FILE'];
  // An empty variable is one that was not set.
  const given: Record<string, string | undefined> = {
    ...defaults,
    ...Object.fromEntries(Object.entries({ ...fromFile, ...env }).filter(([, value]) => value !== '')),
  };
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0] ?? 'the environment');
    throw new ConfigurationError(
      `${name} is wrong: ${(issue?.message ?? '').replace(/^Invalid input: /, '')}. See the table in README.md.`,
    );
  }
  return deriveConfig(parsed.data, given, platformIds);
}

/** See there; of the process's own environment. */
export const ownInstallationVariables = () => installationVariables(process.env, Object.keys(schema.shape));
