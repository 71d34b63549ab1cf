import path from 'node:path';
import type { S3Options } from '@switchboard/media/s3';
import { ConfigurationError } from './configuration-error.js';
import type { Environment } from './environment.js';
import { version } from './version.js';

/**
 * How long the servers keep an idle connection: longer than load balancers do, usually 60 s, which otherwise send a
 * request on a connection that is being closed.
 */
export const KEEP_ALIVE_MS = 75_000;

export interface RateLimit {
  readonly quota: number;
  readonly windowSeconds: number;
}

export interface TransitConfig {
  readonly url: string;
  /** Exactly one of the two is set. */
  readonly token: string | null;
  readonly tokenFile: string | null;
  readonly key: string;
  readonly mount: string;
  readonly namespace: string | null;
}

export interface TracingConfig {
  /** The URL that receives traces over OTLP. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly serviceName: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: { readonly name: Environment['OTEL_TRACES_SAMPLER']; readonly ratio: number };
}

const UNAUTHENTICATED_RATE_LIMIT = 300;
const LOOPBACK = ['127.0.0.1', 'localhost', '::1', '[::1]'];

export function deriveConfig(
  env: Environment,
  raw: Readonly<Record<string, string | undefined>>,
  platformIds: readonly string[],
) {
  const production = env.NODE_ENV === 'production';
  if (!production && !env.SWITCHBOARD_ALLOW_DEV) refuseExposure(env);
  if (env.SWITCHBOARD_MASTER_KEYS !== undefined && env.SWITCHBOARD_MASTER_KEYS_FILE !== undefined) {
    throw new ConfigurationError(
      'SWITCHBOARD_MASTER_KEYS and SWITCHBOARD_MASTER_KEYS_FILE are both set: set only the one that lists all keys.',
    );
  }
  if (env.SWITCHBOARD_API_KEY !== undefined && env.SWITCHBOARD_API_KEY_FILE !== undefined) {
    throw new ConfigurationError(
      'SWITCHBOARD_API_KEY and SWITCHBOARD_API_KEY_FILE are both set: set only one.',
    );
  }
  if (
    production &&
    env.SWITCHBOARD_MASTER_KEYS === undefined &&
    env.SWITCHBOARD_MASTER_KEYS_FILE === undefined &&
    env.SWITCHBOARD_TRANSIT_URL === undefined
  ) {
    throw new ConfigurationError(
      'Neither SWITCHBOARD_MASTER_KEYS nor SWITCHBOARD_MASTER_KEYS_FILE is set: production needs its own master key. `switchboard vault generate-key` prints one.',
    );
  }
  if (production && !env.SWITCHBOARD_PUBLIC_URL) {
    throw new ConfigurationError(
      'SWITCHBOARD_PUBLIC_URL is not set: hosted pages and redirect URIs need the address that browsers use.',
    );
  }
  if ((env.SWITCHBOARD_TLS_CERT === undefined) !== (env.SWITCHBOARD_TLS_KEY === undefined)) {
    throw new ConfigurationError(
      'SWITCHBOARD_TLS_CERT and SWITCHBOARD_TLS_KEY belong together: set both or neither.',
    );
  }
  const tls =
    env.SWITCHBOARD_TLS_CERT !== undefined && env.SWITCHBOARD_TLS_KEY !== undefined
      ? { certFile: env.SWITCHBOARD_TLS_CERT, keyFile: env.SWITCHBOARD_TLS_KEY }
      : null;
  const scheme = tls ? 'https' : 'http';
  const host = LOOPBACK.includes(env.HOST) || ['0.0.0.0', '::'].includes(env.HOST) ? '127.0.0.1' : env.HOST;
  return {
    mode: env.NODE_ENV,
    version,
    dataDir: path.resolve(env.SWITCHBOARD_DATA_DIR),
    /** Null: the embedded PostgreSQL of the data directory. */
    databaseUrl: env.DATABASE_URL ?? null,
    /** For LISTEN and session locks, when `databaseUrl` points to a transaction pooler. */
    directDatabaseUrl: env.SWITCHBOARD_DIRECT_DATABASE_URL ?? env.DATABASE_URL ?? null,
    /** How long a process that stops serves requests while `/readyz` reports 503. */
    drainSeconds: env.SWITCHBOARD_DRAIN_SECONDS,
    /** The statement timeouts, in milliseconds. */
    statementTimeouts: {
      callerMs: env.SWITCHBOARD_STATEMENT_TIMEOUT * 1000,
      backgroundMs: env.SWITCHBOARD_BACKGROUND_STATEMENT_TIMEOUT * 1000,
    },
    migrate: env.SWITCHBOARD_MIGRATE,
    host: env.HOST,
    port: env.PORT,
    mcpPort: env.MCP_PORT,
    /** Without a trailing slash. */
    publicUrl: env.SWITCHBOARD_PUBLIC_URL ?? `${scheme}://${host}:${env.PORT}`,
    /** Whether it was configured, and is not the default. */
    isPublicUrlSet: env.SWITCHBOARD_PUBLIC_URL !== undefined,
    mcpPublicUrl: env.SWITCHBOARD_MCP_PUBLIC_URL ?? `${scheme}://${host}:${env.MCP_PORT}`,
    mcpAllowedOrigins: env.SWITCHBOARD_MCP_ALLOWED_ORIGINS,
    corsOrigins: env.SWITCHBOARD_CORS_ORIGINS,
    trustedProxies: env.SWITCHBOARD_TRUSTED_PROXIES,
    /** The OAuth authorization server of MCP clients. */
    oauth: {
      registration: env.SWITCHBOARD_OAUTH_REGISTRATION,
      redirectHosts: env.SWITCHBOARD_OAUTH_REDIRECT_HOSTS,
    },
    rateLimit: rateLimit(env.SWITCHBOARD_RATE_LIMIT),
    workspaceRateLimit: rateLimit(env.SWITCHBOARD_WORKSPACE_RATE_LIMIT),
    /**
     * The number of requests without a valid key that one address may send in a minute before they receive 429.
     */
    unauthenticatedRateLimit:
      env.SWITCHBOARD_UNAUTHENTICATED_RATE_LIMIT ??
      env.SWITCHBOARD_STRANGERS_RATE_LIMIT ??
      UNAUTHENTICATED_RATE_LIMIT,
    /** For each family of keys. */
    eventDays: env.SWITCHBOARD_EVENTS_DAYS,
    historyDays: env.SWITCHBOARD_HISTORY_DAYS,
    /** Seconds from each failed webhook delivery to the next attempt. */
    webhookSchedule: env.SWITCHBOARD_WEBHOOK_RETRIES,
    /** The mail server of notifications; null: no e-mail is sent. */
    smtp: smtp(env),
    tls,
    roles: env.SWITCHBOARD_ROLES,
    /** Packages or paths of external platforms. */
    externalPlatforms: env.SWITCHBOARD_PLATFORMS,
    sandbox: env.SWITCHBOARD_SANDBOX ?? !production,
    sandboxPort: env.SWITCHBOARD_SANDBOX_PORT,
    allowPrivateHosts: env.SWITCHBOARD_ALLOW_PRIVATE_HOSTS,
    masterKeys: env.SWITCHBOARD_MASTER_KEYS ?? null,
    /** A file with a list of master keys, when the variable is not set. */
    masterKeysFile: env.SWITCHBOARD_MASTER_KEYS_FILE ?? null,
    /** A key service: the transit engine of OpenBao or HashiCorp Vault. */
    transit: transit(env),
    /** The key of MCP over stdio. */
    apiKey: env.SWITCHBOARD_API_KEY ?? null,
    /** A file that contains the key instead. */
    apiKeyFile: env.SWITCHBOARD_API_KEY_FILE ?? null,
    toolsets: env.SWITCHBOARD_TOOLSETS ?? null,
    readOnly: env.SWITCHBOARD_READ_ONLY,
    metricsToken: env.SWITCHBOARD_METRICS_TOKEN ?? null,
    /** Of a second listener, for health checks and metrics only. */
    healthPort: env.SWITCHBOARD_HEALTH_PORT ?? null,
    /** Null: media are stored on this machine, in the data directory. */
    mediaS3: mediaS3(env),
    logLevel: env.LOG_LEVEL,
    /** Null: traces are not recorded. */
    tracing: tracing(env),
    plcDirectoryUrl: env.SWITCHBOARD_BLUESKY_PLC_URL ?? null,
    handleResolverUrl: env.SWITCHBOARD_BLUESKY_HANDLE_RESOLVER_URL ?? null,
    /** By platform id: app credentials and origins that replace the manifest's. */
    platforms: Object.fromEntries(platformIds.map((id) => [id, platformConfig(id, raw)])),
  };
}

/**
 * The configuration from the environment, validated and derived. Read once, at startup; see
 * docs/configuration.md.
 */
export type Config = ReturnType<typeof deriveConfig>;

function rateLimit(text: string): RateLimit {
  const [quota, seconds = '60'] = text.replace(/s$/, '').split('/');
  return { quota: Number(quota), windowSeconds: Number(seconds) };
}

/** The mail server, when its URL is set. */
function smtp({ SWITCHBOARD_SMTP_URL: url, SWITCHBOARD_PUBLIC_URL: publicUrl }: Environment) {
  if (url === undefined) return null;
  const host = publicUrl === undefined ? 'localhost' : new URL(publicUrl).hostname;
  return { url, from: new URL(url).searchParams.get('from') ?? `Switchboard <switchboard@${host}>` };
}

/** The exporter of traces, when it is configured with the variables of OpenTelemetry. */
function tracing(env: Environment): TracingConfig | null {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (endpoint && `${endpoint}/v1/traces`);
  if (url === undefined || env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none') return null;
  return {
    url,
    headers: env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    protocol: env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ?? env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf',
    serviceName: env.OTEL_SERVICE_NAME,
    resource: env.OTEL_RESOURCE_ATTRIBUTES ?? {},
    sampler: { name: env.OTEL_TRACES_SAMPLER, ratio: env.OTEL_TRACES_SAMPLER_ARG },
  };
}

/** A key service, when its URL is set. */
function transit(env: Environment): TransitConfig | null {
  const { SWITCHBOARD_TRANSIT_URL: url, SWITCHBOARD_TRANSIT_TOKEN: token } = env;
  const tokenFile = env.SWITCHBOARD_TRANSIT_TOKEN_FILE;
  if (url === undefined) {
    if (token === undefined && tokenFile === undefined) return null;
    throw new ConfigurationError(
      'SWITCHBOARD_TRANSIT_URL is not set: a token needs the address of its server.',
    );
  }
  if ((token === undefined) === (tokenFile === undefined)) {
    throw new ConfigurationError(
      'Set either SWITCHBOARD_TRANSIT_TOKEN or SWITCHBOARD_TRANSIT_TOKEN_FILE: the key service requires authentication.',
    );
  }
  return {
    url,
    token: token ?? null,
    tokenFile: tokenFile ?? null,
    key: env.SWITCHBOARD_TRANSIT_KEY,
    mount: env.SWITCHBOARD_TRANSIT_MOUNT,
    namespace: env.SWITCHBOARD_TRANSIT_NAMESPACE ?? null,
  };
}

/** An S3-compatible store, when a bucket is set. */
function mediaS3(env: Environment): S3Options | null {
  const {
    SWITCHBOARD_MEDIA_S3_BUCKET: bucket,
    SWITCHBOARD_MEDIA_S3_ENDPOINT: endpoint,
    SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: accessKeyId,
    SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = env;
  if (bucket === undefined) {
    if (endpoint === undefined && accessKeyId === undefined) return null;
    throw new ConfigurationError(
      'SWITCHBOARD_MEDIA_S3_BUCKET is not set: the other SWITCHBOARD_MEDIA_S3_* variables need the name of a bucket.',
    );
  }
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new ConfigurationError(
      'SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID and SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY belong together: set both, or neither when the machine has an IAM role.',
    );
  }
  const prefix = env.SWITCHBOARD_MEDIA_S3_PREFIX;
  return {
    bucket,
    region: env.SWITCHBOARD_MEDIA_S3_REGION,
    endpoint: endpoint ?? null,
    credentials:
      accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : null,
    forcePathStyle: env.SWITCHBOARD_MEDIA_S3_FORCE_PATH_STYLE ?? endpoint !== undefined,
    prefix: prefix === '' ? '' : `${prefix}/`,
  };
}

/**
 * Prevents a sandbox and a generated master key from being exposed to the network, or used with a shared
 * database, by mistake.
 */
function refuseExposure(env: Environment): void {
  if (!LOOPBACK.includes(env.HOST)) {
    throw new ConfigurationError(
      `HOST is ${env.HOST}, but development mode serves loopback only. Set NODE_ENV=production, or SWITCHBOARD_ALLOW_DEV=1 if this is intended.`,
    );
  }
  if (env.DATABASE_URL !== undefined && env.NODE_ENV === 'development') {
    throw new ConfigurationError(
      'DATABASE_URL is set, but development mode uses a generated master key. Set NODE_ENV=production, or SWITCHBOARD_ALLOW_DEV=1 if this is intended.',
    );
  }
}

function platformConfig(id: string, raw: Readonly<Record<string, string | undefined>>) {
  const read = (name: string) => raw[`SWITCHBOARD_${id.toUpperCase()}_${name}`] ?? null;
  const url = (name: string) => {
    const text = read(name);
    if (text !== null && !/^https?:\/\//.test(text)) {
      throw new ConfigurationError(
        `SWITCHBOARD_${id.toUpperCase()}_${name} is invalid: expected a URL that begins with https://.`,
      );
    }
    return text?.replace(/\/+$/, '') ?? null;
  };
  const version = () => {
    const text = read('API_VERSION');
    if (text !== null && !/^[\w.-]{1,32}$/.test(text)) {
      throw new ConfigurationError(
        `SWITCHBOARD_${id.toUpperCase()}_API_VERSION is invalid: expected a version in the platform’s format.`,
      );
    }
    return text;
  };
  const userAgent = () => {
    const text = read('USER_AGENT');
    if (text !== null && !/^[!-~][ -~]{0,255}$/.test(text)) {
      throw new ConfigurationError(
        `SWITCHBOARD_${id.toUpperCase()}_USER_AGENT is invalid: expected up to 256 printable ASCII characters.`,
      );
    }
    return text;
  };
  const origins = Object.keys(raw).flatMap((variable) => {
    const prefix = `SWITCHBOARD_${id.toUpperCase()}_`;
    if (!variable.startsWith(prefix) || !variable.endsWith('_BASE_URL')) return [];
    const name = variable.slice(prefix.length, -'_BASE_URL'.length);
    const value = name === '' ? null : url(`${name}_BASE_URL`);
    return value === null ? [] : [[name.toLowerCase(), value] as const];
  });
  return {
    clientId: read('CLIENT_ID'),
    clientSecret: read('CLIENT_SECRET'),
    baseUrl: url('BASE_URL'),
    authBaseUrl: url('AUTH_BASE_URL') ?? url('BASE_URL'),
    uploadBaseUrl: url('UPLOAD_BASE_URL'),
    analyticsBaseUrl: url('ANALYTICS_BASE_URL'),
    /** The overrides of further origins, by their names in lower case. */
    otherBaseUrls: Object.fromEntries(origins),
    apiVersion: version(),
    userAgent: userAgent(),
  };
}
