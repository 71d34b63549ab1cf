/** The operator's configuration that use cases need. */
export interface Settings {
  /** Public origin of the REST app, without a trailing slash: the base of hosted pages and redirect URIs. */
  readonly publicUrl: string;
  /** The URL of MCP over HTTP: the resource for which access tokens are issued (RFC 8707). */
  readonly mcpUrl: string;
  readonly version: string;
  readonly production: boolean;
  /** Whether the sandbox platforms may be used. */
  readonly sandbox: boolean;
  /** Whether any process serves the hosted pages: known to this process with a delay of a few seconds. */
  readonly hostedPages: boolean;
  /** Whether notifications can be sent by e-mail. */
  readonly sendsEmail: boolean;
}
