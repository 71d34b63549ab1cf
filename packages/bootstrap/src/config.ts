/** What the environment says, checked and derived. Read once, at start; see the table in README.md. */
export interface Config {
  readonly mode: 'development' | 'production' | 'test';
  readonly version: string;
  readonly dataDir: string;
  /** Null: the embedded PostgreSQL of the data directory. */
  readonly databaseUrl: string | null;
  readonly migrate: 'auto' | 'check';
  readonly host: string;
  readonly port: number;
  readonly mcpPort: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly mcpPublicUrl: string;
  readonly mcpAllowedOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly roles: readonly ('http' | 'worker')[];
  readonly sandbox: boolean;
  readonly sandboxPort: number;
  readonly allowPrivateHosts: readonly string[];
  readonly masterKeys: string | null;
  /** The key that MCP over stdio acts with. */
  readonly apiKey: string | null;
  readonly toolsets: readonly string[] | null;
  readonly readOnly: boolean;
  readonly metricsToken: string | null;
  readonly logLevel: string;
  readonly plcDirectoryUrl: string | null;
  readonly handleResolverUrl: string | null;
  /** By platform id: app credentials and origins that replace the manifest's. */
  readonly platforms: Readonly<Record<string, PlatformConfig>>;
}

export interface PlatformConfig {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  readonly baseUrl: string | null;
  readonly authBaseUrl: string | null;
}
