/** What the operator configured and use cases must know. */
export interface Settings {
  /** Origin of the REST app as browsers reach it, without a trailing slash: hosted pages and redirect URIs live there. */
  readonly publicUrl: string;
  readonly version: string;
  readonly production: boolean;
  /** Whether the sandbox platforms may be used. */
  readonly sandbox: boolean;
  /** Whether any process serves the hosted pages, as far as this one knows: it may have changed since a few seconds ago. */
  readonly hostedPages: boolean;
}
