import path from 'node:path';
import { z } from 'zod';
import type { Manifest } from '@switchboard/domain/ports';

/** The repository's root: three folders above `packages/bootstrap/dist`. */
export const root = path.resolve(import.meta.dirname, '../../..');

interface VariableDocumentation {
  /** Markdown; links are relative to `docs/`. */
  readonly description: string;
  /** Markdown, when the default of the schema does not show it. */
  readonly displayedDefault?: string | undefined;
}
const documentation = z.registry<VariableDocumentation>();

/** A variable with its row in docs/configuration.md. */
const variable = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  displayedDefault?: string,
): Schema => {
  documentation.add(schema, { description, displayedDefault });
  return schema;
};

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const flag = z.stringbool({ truthy: ['1', 'true', 'yes', 'on'], falsy: ['0', 'false', 'no', 'off', ''] });
const port = z.coerce.number().int().min(1).max(65_535);
const origin = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''));
/** Origins as browsers send them in `Origin`: compared as text. */
const webOrigins = list.pipe(
  z.array(
    z
      .string()
      .refine(
        (text) => /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text,
        'origins such as https://app.example.com: scheme, host in lower case and port, without a path; no * and no null',
      ),
  ),
);
const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'a URL that begins with postgresql://')
  .refine(
    (url) => !/^[^/]+\/\/(?:[^/?#]*@)?[^/?#@]*,/.test(url),
    'a URL with one host, which leads to the primary',
  );
/** Whether the URL names a mail server. */
function isSmtpUrl(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^smtps?:$/.test(url.protocol) &&
    url.hostname !== '' &&
    (url.username === '') === (url.password === '')
  );
}
const absolutePath = z.string().refine((file) => path.isAbsolute(file), 'an absolute path');
const statementSeconds = z.coerce.number().int().min(1).max(86_400);
const rateLimit = z
  .string()
  .regex(
    /^[1-9]\d{0,8}(\/[1-9]\d{0,4}s)?$/,
    'requests per minute such as 600, or requests per window such as 100/10s',
  );

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };
/** Durations such as `30s`, in seconds. */
const durations = z
  .string()
  .regex(/^\d+(\.\d+)?[smh](,\d+(\.\d+)?[smh]){0,19}$/, 'up to 20 durations such as 5s,30m,2h')
  .transform((text) =>
    text.split(',').map((part) => Number(part.slice(0, -1)) * (unitSeconds[part.slice(-1)] ?? 1)),
  );

const server = {
  NODE_ENV: variable(
    z.enum(['development', 'production', 'test']).default('development'),
    '`development`, `production` or `test`. Production creates no keys, starts no sandbox unless `SWITCHBOARD_SANDBOX` is set, reads no `.env`, accepts only the return URLs that the workspace lists, and requires a master key and `SWITCHBOARD_PUBLIC_URL`.',
  ),
  HOST: variable(z.string().default('127.0.0.1'), 'Address on which REST and MCP listen.'),
  PORT: variable(port.default(3000), 'Port of REST, the hosted pages and the documentation.'),
  MCP_PORT: variable(port.default(3001), 'Port of MCP over HTTP.'),
  SWITCHBOARD_DRAIN_SECONDS: variable(
    z.coerce.number().min(0).max(300).default(0),
    'Seconds that a process serves on after `SIGTERM` while `/readyz` reports 503, so that load balancers stop sending: longer than their interval of health checks. See [operating](operating.md#rolling-restarts).',
  ),
  SWITCHBOARD_PUBLIC_URL: variable(
    origin.optional(),
    'URL at which browsers reach REST: hosted pages, OAuth redirect URIs (`<url>/oauth/callback/<platform>`), AT Protocol client metadata. The default uses `https` when TLS is configured.',
    '`http://127.0.0.1:<PORT>`',
  ),
  SWITCHBOARD_MCP_PUBLIC_URL: variable(
    origin.optional(),
    'URL at which clients reach MCP. Requests may name its host besides loopback.',
    '`http://127.0.0.1:<MCP_PORT>`',
  ),
  SWITCHBOARD_MCP_ALLOWED_ORIGINS: variable(
    webOrigins.default([]),
    "Origins of web pages that may call MCP, besides loopback and MCP's own. Requests without an `Origin` header are not affected. Browsers receive CORS headers for the listed origins only.",
  ),
  SWITCHBOARD_CORS_ORIGINS: variable(
    webOrigins.default([]),
    'Origins of web pages that may call REST from a browser (CORS), such as `https://app.example.com`, with an API key in `Authorization` and never with cookies. See [operating](operating.md#web-pages-of-other-origins).',
  ),
  SWITCHBOARD_TRUSTED_PROXIES: variable(
    list.default([]),
    'Addresses or networks of proxies whose `X-Forwarded-*` headers REST trusts, such as `loopback` or `10.0.0.0/8`.',
  ),
  SWITCHBOARD_TLS_CERT: variable(
    z.string().optional(),
    'PEM file with the certificate chain, to serve HTTPS directly. Requires `SWITCHBOARD_TLS_KEY`.',
  ),
  SWITCHBOARD_TLS_KEY: variable(z.string().optional(), 'PEM file with the private key of the certificate.'),
  SWITCHBOARD_ROLES: variable(
    list.pipe(z.array(z.enum(['http', 'worker'])).min(1)).default(['http', 'worker']),
    'Roles of a REST process. Without `worker` it delivers nothing; without `http` it serves no requests.',
  ),
  SWITCHBOARD_ALLOW_DEV: variable(
    flag.default(false),
    'Permits development mode with a `HOST` other than loopback or with a `DATABASE_URL`.',
  ),
  SWITCHBOARD_PLATFORMS: variable(
    list.default([]),
    'Packages or paths of [external platforms](operating.md#external-platforms), separated by commas. Relative paths are resolved against the folder of Switchboard. Every process of an installation needs the same value.',
    'none',
  ),
  SWITCHBOARD_SANDBOX: variable(
    flag.optional(),
    'Offers the sandbox platforms and serves them from the REST process.',
    'yes; no in production',
  ),
  SWITCHBOARD_SANDBOX_PORT: variable(
    port.default(3002),
    'Port of the sandbox, which listens on 127.0.0.1 only. Every process of an installation needs the same value.',
  ),
  LOG_LEVEL: variable(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
    '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. Logs are JSON lines on stdout, or on stderr for MCP over stdio.',
  ),
  SWITCHBOARD_HEALTH_PORT: variable(
    port.optional(),
    'Port of a second listener on `HOST` with `/healthz`, `/readyz` and `/metrics` only, for REST, MCP over HTTP and workers, which have no other.',
  ),
  SWITCHBOARD_METRICS_TOKEN: variable(
    z.string().min(16, 'at least 16 characters').optional(),
    'At least 16 characters. A request with it as bearer token may read `/metrics` from anywhere; without it, only direct requests from loopback may.',
  ),
  NODE_DEBUG: variable(
    z
      .undefined({ error: 'unset it: with NODE_DEBUG Node.js prints request headers, which contain secrets' })
      .optional(),
    'Rejected when set: Node.js would print request headers, which contain secrets. `DEBUG` is ignored for the same reason; use `LOG_LEVEL`.',
  ),
};

const SAMPLERS = [
  ...(['always_on', 'always_off', 'traceidratio'] as const),
  ...(['parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const),
];
const pairs = z
  .string()
  .regex(/^\s*[^=,\s]+=[^,]*(,\s*[^=,\s]+=[^,]*)*\s*$/, 'name=value,name=value, percent-encoded')
  .refine(isPercentEncoded, 'name=value,name=value, percent-encoded')
  .transform((text) =>
    Object.fromEntries(
      text.split(',').map((pair): [string, string] => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      }),
    ),
  );
const otlpProtocol = z.enum(['http/protobuf', 'http/json']);

const tracing = {
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    origin.optional(),
    'URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. Traces are sent to `<url>/v1/traces`; without it there are none. See [operating](operating.md#traces).',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(
    z.url({ protocol: /^https?$/ }).optional(),
    'Instead of `OTEL_EXPORTER_OTLP_ENDPOINT`: the complete URL for traces.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: variable(
    pairs.optional(),
    'Headers for the collector, as `name=value,name=value`, percent-encoded.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: variable(pairs.optional(), 'The same, for traces only.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: variable(
    otlpProtocol.optional(),
    '`http/protobuf` or `http/json`.',
    '`http/protobuf`',
  ),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: variable(otlpProtocol.optional(), 'The same, for traces only.'),
  OTEL_TRACES_EXPORTER: variable(z.enum(['otlp', 'none']).default('otlp'), '`none` turns traces off.'),
  OTEL_SDK_DISABLED: variable(flag.default(false), 'Turns traces off.'),
  OTEL_TRACES_SAMPLER: variable(
    z.enum(SAMPLERS).default('parentbased_always_on'),
    '`always_on`, `always_off`, `traceidratio`, or one of them with `parentbased_`: then a caller that sends `traceparent` decides for its own calls.',
  ),
  OTEL_TRACES_SAMPLER_ARG: variable(
    z.coerce.number().min(0).max(1).default(1),
    'The share of traces that `traceidratio` records, such as `0.1`.',
  ),
  OTEL_SERVICE_NAME: variable(z.string().default('switchboard'), 'Name of the service in traces.'),
  OTEL_RESOURCE_ATTRIBUTES: variable(
    pairs.optional(),
    'Further attributes of every span, as `name=value,name=value`, percent-encoded.',
  ),
};

/** Whether `decodeURIComponent` can decode it. */
function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const database = {
  DATABASE_URL: variable(
    databaseUrl.optional(),
    'An existing PostgreSQL, `postgresql://…`. Rejected in development unless `SWITCHBOARD_ALLOW_DEV` is set. For connection poolers see [operating](operating.md).',
    'the embedded PostgreSQL',
  ),
  SWITCHBOARD_DIRECT_DATABASE_URL: variable(
    databaseUrl.optional(),
    'URL of the same database without the transaction pooler, for migrations, the job queue and LISTEN.',
    '`DATABASE_URL`',
  ),
  SWITCHBOARD_DATA_DIR: variable(
    z.string().default(path.join(root, '.switchboard')),
    'Directory for API keys, the master key, media and the embedded database. Processes that name the same directory share them. A relative path is resolved against the working directory.',
    '`.switchboard` in the repository',
  ),
  SWITCHBOARD_MIGRATE: variable(
    z.enum(['auto', 'check']).default('auto'),
    '`auto` applies missing migrations at startup, one process at a time. `check` refuses to start while migrations are missing.',
  ),
  SWITCHBOARD_STATEMENT_TIMEOUT: variable(
    statementSeconds.default(10),
    'Seconds that one database statement of an API call may take; after that the caller receives a retryable 503.',
  ),
  SWITCHBOARD_BACKGROUND_STATEMENT_TIMEOUT: variable(
    statementSeconds.default(300),
    'Seconds that one database statement of the worker or the command line may take.',
  ),
};

const limits = {
  SWITCHBOARD_RATE_LIMIT: variable(
    rateLimit.default('600'),
    'Requests per minute of one API key, counted together with the keys that replaced it and all keys that it created, over REST, MCP and all processes. `100/10s` means 100 in ten seconds.',
  ),
  SWITCHBOARD_WORKSPACE_RATE_LIMIT: variable(
    rateLimit.default('6000'),
    'Requests per minute of all keys of a workspace together.',
  ),
  SWITCHBOARD_UNAUTHENTICATED_RATE_LIMIT: variable(
    z.coerce.number().int().min(1).optional(),
    'Requests per minute without a valid key, from one address (IPv6: one /64 network), that a process answers with 401. Further requests receive 429. A valid key is always accepted. Hosted pages have ten times this limit, and OAuth sign-ins a tenth of it, as have OAuth registrations in an hour. The former name, `SWITCHBOARD_STRANGERS_RATE_LIMIT`, is still read.',
    '`300`',
  ),
  SWITCHBOARD_EVENTS_DAYS: variable(
    z.coerce.number().int().min(1).max(3650).default(90),
    'How many days events are kept. The worker deletes older ones every hour.',
  ),
  SWITCHBOARD_HISTORY_DAYS: variable(
    z.coerce.number().int().min(7).max(3650).default(365),
    'How many days the attempts of settled posts, connect sessions and used refund quotes are kept. Posts, refunds and the audit log have no limit.',
  ),
  SWITCHBOARD_WEBHOOK_RETRIES: variable(
    z.string().default('5s,5m,30m,2h,5h,10h,14h,20h,24h').pipe(durations),
    'Delays after each failed attempt of a [webhook](webhooks.md) delivery, each up to 20 % longer or shorter. After the last one the delivery has failed.',
    '`5s,5m,30m,2h,5h,10h,14h,20h,24h`',
  ),
  SWITCHBOARD_SMTP_URL: variable(
    z.string().refine(isSmtpUrl, 'smtp://user:password@host:587 or smtps://…, percent-encoded').optional(),
    '`smtp://user:password@host:587` (STARTTLS) or `smtps://…:465`: the mail server that [notifications](operating.md#e-mail) are sent through. `?from=` is the percent-encoded sender; without it, `switchboard@` the host of the public URL. A password requires TLS, except on this machine.',
  ),
  SWITCHBOARD_ALLOW_PRIVATE_HOSTS: variable(
    list.default([]),
    "Hosts (`host` or `host:port`) with private addresses that outbound requests may reach, also without TLS. The sandbox's own is included.",
  ),
};

/** Former names, used when the current one is not set. */
const aliases = {
  SWITCHBOARD_STRANGERS_RATE_LIMIT: z.coerce.number().int().min(1).optional(),
};

const vault = {
  SWITCHBOARD_MASTER_KEYS: variable(
    z.string().optional(),
    '`id:base64` of 32 bytes, newest first, separated by commas. `switchboard vault generate-key` prints one. [Keep a copy](operating.md#keys-that-must-not-be-lost): without it no stored credential can be decrypted.',
    'created in `<data directory>/master-key`',
  ),
  SWITCHBOARD_MASTER_KEYS_FILE: variable(
    absolutePath.optional(),
    'Instead of `SWITCHBOARD_MASTER_KEYS`: the absolute path of a file (mode 0600) with the same list, one key a line. An added key is picked up within ten seconds.',
  ),
  SWITCHBOARD_TRANSIT_URL: variable(
    origin.optional(),
    'URL of OpenBao or HashiCorp Vault, whose transit engine holds the master key. It replaces local master keys, or takes precedence over them. See [operating](operating.md#a-key-service).',
  ),
  SWITCHBOARD_TRANSIT_TOKEN: variable(
    z.string().optional(),
    'Token for the key service. It must permit reading the key, encrypting and decrypting.',
  ),
  SWITCHBOARD_TRANSIT_TOKEN_FILE: variable(
    absolutePath.optional(),
    'Instead of `SWITCHBOARD_TRANSIT_TOKEN`: the absolute path of a file in which an agent keeps the token.',
  ),
  SWITCHBOARD_TRANSIT_KEY: variable(
    z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'letters, digits, and . _ -')
      .default('switchboard'),
    'Name of the key in the transit engine.',
  ),
  SWITCHBOARD_TRANSIT_MOUNT: variable(
    z
      .string()
      .regex(/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/, 'a path of letters, digits, _ and -')
      .default('transit'),
    'Path at which the transit engine is mounted.',
  ),
  SWITCHBOARD_TRANSIT_NAMESPACE: variable(z.string().optional(), 'Namespace in the key service.'),
};

const mcp = {
  SWITCHBOARD_API_KEY: variable(
    z.string().optional(),
    'API key of MCP over stdio. That process does not start without it or `SWITCHBOARD_API_KEY_FILE`.',
  ),
  SWITCHBOARD_API_KEY_FILE: variable(
    absolutePath.optional(),
    'Instead of `SWITCHBOARD_API_KEY`: the absolute path of a file that holds the key. `switchboard mcp config` names it for clients. Both together are rejected.',
  ),
  SWITCHBOARD_TOOLSETS: variable(
    list.pipe(z.array(z.enum(['social', 'commerce', 'connections', 'admin']))).optional(),
    'Toolsets that MCP offers: `social`, `commerce`, `connections`, `admin`.',
    '`social,commerce,connections`',
  ),
  SWITCHBOARD_READ_ONLY: variable(
    flag.default(false),
    'Restricts MCP to tools that change nothing, including `validate_post` and `quote_refund`.',
  ),
};

const oauth = {
  SWITCHBOARD_OAUTH_REGISTRATION: variable(
    flag.default(false),
    'Lets MCP clients register themselves (RFC 7591), limited by address. Clients with a metadata document, such as claude.ai and ChatGPT, need no registration. See [MCP clients with a sign-in](oauth.md).',
  ),
  SWITCHBOARD_OAUTH_REDIRECT_HOSTS: variable(
    list.default(['claude.ai', 'claude.com', 'chatgpt.com']),
    'Hosts (`host` or `host:port`) to which the sign-in of an MCP client may redirect the browser, always with https. Programs on the visitor’s own device (loopback) are allowed besides.',
    '`claude.ai,claude.com,chatgpt.com`',
  ),
};

const media = {
  SWITCHBOARD_MEDIA_S3_BUCKET: variable(
    z.string().optional(),
    'S3 bucket for media; without it, media are stored in `<data directory>/media`. Several machines must share one bucket. See [operating](operating.md).',
  ),
  SWITCHBOARD_MEDIA_S3_REGION: variable(z.string().default('us-east-1'), 'Region of the bucket.'),
  SWITCHBOARD_MEDIA_S3_ENDPOINT: variable(
    origin.optional(),
    'URL of another S3-compatible server.',
    "Amazon's",
  ),
  SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: variable(
    z.string().optional(),
    'Access key of the bucket. Requires `SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY`.',
    "the machine's role",
  ),
  SWITCHBOARD_MEDIA_S3_SECRET_ACCESS_KEY: variable(z.string().optional(), 'Secret of the access key.'),
  SWITCHBOARD_MEDIA_S3_FORCE_PATH_STYLE: variable(
    flag.optional(),
    'Addresses objects as `host/bucket/key` instead of `bucket.host/key`.',
    'yes with an endpoint, else no',
  ),
  SWITCHBOARD_MEDIA_S3_PREFIX: variable(
    z
      .string()
      .regex(/^[A-Za-z0-9_./-]*$/, 'letters, digits, and _ . / -')
      .transform((text) => text.replace(/^\/+|\/+$/g, ''))
      .default(''),
    'Key prefix in the bucket that no other installation uses.',
  ),
};

const bluesky = {
  SWITCHBOARD_BLUESKY_PLC_URL: variable(
    origin.optional(),
    'Directory of AT Protocol identities.',
    '`https://plc.directory`',
  ),
  SWITCHBOARD_BLUESKY_HANDLE_RESOLVER_URL: variable(
    origin.optional(),
    'Server that resolves handles.',
    "DNS, then the handle's own host",
  ),
};

export const environment = z.object({
  ...server,
  ...tracing,
  ...database,
  ...limits,
  ...aliases,
  ...vault,
  ...mcp,
  ...oauth,
  ...media,
  ...bluesky,
});

export type Environment = z.output<typeof environment>;

/** A variable of every platform, `SWITCHBOARD_<PLATFORM>_<suffix>`. */
export const platformVariables = {
  CLIENT_ID: [
    'none',
    "Client id of the OAuth app at a platform. Bluesky, Mastodon, Telegram and stores that are connected with keys need none; the sandbox has its own. Facebook's also connects Instagram accounts through their Pages. The app of a workspace or profile takes precedence, see [apps](operating.md#apps-and-hosted-pages).",
  ],
  CLIENT_SECRET: ['none', 'Its secret. A platform is configured only when both are set.'],
  BASE_URL: [
    "the manifest's",
    "Another origin for the platform's API, for tests and proxies. No effect where each account names its own server, as with Bluesky and Mastodon.",
  ],
  AUTH_BASE_URL: [
    "the `_BASE_URL`, else the manifest's",
    'Another origin for its OAuth endpoints, including the consent page.',
  ],
  UPLOAD_BASE_URL: [
    "the `_BASE_URL`, else the manifest's",
    'Another origin for uploads, where the platform has a separate one.',
  ],
  ANALYTICS_BASE_URL: [
    "the `_BASE_URL`, else the manifest's",
    'Another origin for analytics, where the platform has a separate one.',
  ],
  '<NAME>_BASE_URL': [
    "the `_BASE_URL`, else the manifest's",
    'Another origin for the further API that the manifest gives this name, such as `ACCOUNTS` of Google Business Profile.',
  ],
  API_VERSION: ["the manifest's", 'Version of the platform API, where it has versions.'],
  USER_AGENT: [
    "Switchboard's",
    'User agent sent to the platform. Reddit requires `web:<app id>:<version> (by /u/<your account>)`.',
  ],
} as const;

export const platformVariablesOf = ({
  id,
  otherBaseUrls = {},
}: Pick<Manifest, 'id' | 'otherBaseUrls'>): readonly string[] =>
  Object.keys(platformVariables)
    .flatMap((suffix) =>
      suffix.startsWith('<')
        ? Object.keys(otherBaseUrls).map((name) => suffix.replace('<NAME>', name.toUpperCase()))
        : [suffix],
    )
    .map((suffix) => `SWITCHBOARD_${id.toUpperCase()}_${suffix}`);

interface VariableRow {
  readonly name: string;
  readonly default: string;
  readonly description: string;
}

const rowsOf = (variables: Readonly<Record<string, z.ZodType>>): VariableRow[] =>
  Object.entries(variables).map(([name, schema]) => {
    const { description, displayedDefault } = documentation.get(schema) ?? {};
    if (description === undefined) throw new Error(`${name} has no description.`);
    return { name, default: displayedDefault ?? defaultOf(schema), description };
  });

function defaultOf(schema: z.ZodType): string {
  const value = z
    .union([z.boolean(), z.number(), z.string(), z.array(z.string())])
    .optional()
    .parse(schema.parse(undefined));
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value ?? '');
  return text === '' ? 'none' : `\`${text}\``;
}

/** Every documented variable, for docs/configuration.md. */
export const configurationSections: readonly {
  readonly title: string;
  readonly rows: readonly VariableRow[];
}[] = [
  { title: 'Server', rows: rowsOf(server) },
  { title: 'Traces', rows: rowsOf(tracing) },
  { title: 'Database and data directory', rows: rowsOf(database) },
  { title: 'Limits', rows: rowsOf(limits) },
  { title: 'Master keys', rows: rowsOf(vault) },
  { title: 'MCP', rows: [...rowsOf(mcp), ...rowsOf(oauth)] },
  { title: 'Media storage', rows: rowsOf(media) },
  {
    title: 'Platforms',
    rows: [
      ...Object.entries(platformVariables).map(([suffix, [displayedDefault, description]]) => ({
        name: `SWITCHBOARD_<PLATFORM>_${suffix}`,
        default: displayedDefault,
        description,
      })),
      ...rowsOf(bluesky),
    ],
  },
];
