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
  'SWITCHBOARD_METRICS_TOKEN',
  'SWITCHBOARD_PUBLIC_URL',
  'SWITCHBOARD_ROLES',
];
const PLATFORM_VARIABLE =
  /^SWITCHBOARD_[A-Z_]+_(CLIENT_ID|CLIENT_SECRET|BASE_URL|AUTH_BASE_URL|API_VERSION|USER_AGENT)$/;
const SECRET_VARIABLE = /(DATABASE_URL|_MASTER_KEYS|_SECRET|_SECRET_ACCESS_KEY|_TOKEN)$/;

export interface InstallationVariables {
  readonly shared: Readonly<Record<string, string>>;
  /** Names only. */
  readonly withheld: readonly string[];
}

/**
 * The environment variables of this process that another process of the same installation also needs, when it
 * is started with its own environment. Variables of `.env` are omitted: the other process reads that file
 * too.
 */
export function installationVariables(
  env: NodeJS.ProcessEnv,
  known: readonly string[],
): InstallationVariables {
  const shared: Record<string, string> = {};
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
