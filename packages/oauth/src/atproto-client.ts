import { createHash, randomBytes } from 'node:crypto';
import type {
  HandleResolver,
  JoseKey,
  NodeOAuthClient,
  NodeSavedSession,
  NodeSavedState,
  OAuthClientMetadataInput,
} from '@atproto/oauth-client-node';
import type { Secret } from '@switchboard/domain';
import type { AtprotoDirectory } from './atproto-directory.js';

/** Loaded when it is first used: with its dependencies it is a tenth of every program. */
export const importLibrary = () => import('@atproto/oauth-client-node');

type FetchFunction = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface AtprotoOptions {
  /** `fetch` backed by the SSRF-guarded client. */
  readonly fetch: FetchFunction;
  /** Origin that serves the client metadata and keys; a loopback http origin selects a loopback client. */
  readonly publicUrl: string;
  /** The name of this installation on consent pages. */
  readonly clientName: string;
  /**
   * Private signing keys as JWKs with `kid` and `alg`, newest first. Read only when the public URL is https.
   */
  readonly keys: () => Promise<readonly Secret[]>;
  readonly plcDirectoryUrl: string | null;
  readonly handleResolverUrl: string | null;
  /** Allows servers without TLS, for development only. */
  readonly allowHttp: boolean;
}

const CLIENT_METADATA_PATH = '/oauth/atproto/client-metadata.json';
const JWKS_PATH = '/oauth/atproto/jwks.json';

export interface AtprotoClientConfig {
  readonly redirectUris: readonly string[];
  readonly scope: string;
}

export const isLoopback = (publicUrl: string): boolean => publicUrl.startsWith('http://');

/** The client metadata document that a server fetches at the client ID, unless it is that of a loopback client. */
export function createClientMetadata(
  { publicUrl, clientName }: Pick<AtprotoOptions, 'publicUrl' | 'clientName'>,
  { redirectUris, scope }: AtprotoClientConfig,
): OAuthClientMetadataInput {
  return {
    client_id: publicUrl + CLIENT_METADATA_PATH,
    client_name: clientName,
    client_uri: publicUrl,
    redirect_uris: [...redirectUris] as [string, ...string[]],
    scope,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'private_key_jwt',
    token_endpoint_auth_signing_alg: 'ES256',
    dpop_bound_access_tokens: true,
    jwks_uri: publicUrl + JWKS_PATH,
  };
}

export async function loadSigningKeys(
  options: Pick<AtprotoOptions, 'keys' | 'publicUrl'>,
): Promise<JoseKey[]> {
  if (isLoopback(options.publicUrl)) return [];
  const [{ JoseKey }, keys] = await Promise.all([importLibrary(), options.keys()]);
  return Promise.all(keys.map((key) => JoseKey.fromImportable(key.reveal())));
}

/**
 * The library's stores for one use of the client: the caller supplies the initial entries and reads back the
 * saved ones.
 */
export interface AtprotoClientStore {
  state: { readonly name: string; readonly saved: NodeSavedState } | null;
  session: NodeSavedSession | null;
}

/**
 * A client for one exchange. It keeps no state: the vault stores grants, and the credential lease serializes
 * renewals.
 */
export async function atprotoClient(
  options: AtprotoOptions,
  facts: AtprotoClientConfig,
  directory: AtprotoDirectory,
  nonces: Map<string, string>,
  memory: AtprotoClientStore,
): Promise<NodeOAuthClient> {
  const { buildAtprotoLoopbackClientMetadata, JoseKey, NodeOAuthClient, requestLocalLock } =
    await importLibrary();
  const keyset = await loadSigningKeys(options);
  const handleResolver: HandleResolver = {
    resolve: async (handle) => {
      const result = await directory.resolveDid(handle);
      if (result.kind === 'found') return result.value as `did:plc:${string}`;
      if (result.kind === 'unknown') return null;
      throw new HandleResolutionError(result.kind);
    },
  };
  return new NodeOAuthClient({
    // The server derives the metadata of a loopback client from its ID.
    clientMetadata: isLoopback(options.publicUrl)
      ? buildAtprotoLoopbackClientMetadata({
          scope: facts.scope,
          redirect_uris: [...facts.redirectUris] as [string],
        })
      : createClientMetadata(options, facts),
    ...(keyset.length > 0 && { keyset }),
    fetch: options.fetch,
    allowHttp: options.allowHttp,
    handleResolver,
    ...(options.plcDirectoryUrl !== null && { plcDirectoryUrl: options.plcDirectoryUrl }),
    runtimeImplementation: {
      requestLock: requestLocalLock,
      createKey: (algs) => JoseKey.generate(algs),
      getRandomValues: (length) => randomBytes(length),
      digest: (bytes, { name }) => createHash(name).update(bytes).digest(),
    },
    dpopNonceCache: {
      get: (origin) => nonces.get(origin),
      set: (origin, nonce) => void nonces.set(origin, nonce),
      del: (origin) => void nonces.delete(origin),
    },
    stateStore: {
      get: (name) => (memory.state?.name === name ? memory.state.saved : undefined),
      set: (name, saved) => void (memory.state = { name, saved }),
      del: () => undefined,
    },
    sessionStore: {
      get: () => undefined,
      set: (_sub, session) => void (memory.session = session),
      del: () => undefined,
    },
  });
}

export class HandleResolutionError extends Error {
  readonly reason: 'address_refused' | 'unavailable';

  constructor(reason: 'address_refused' | 'unavailable') {
    super('the handle cannot be resolved');
    this.reason = reason;
  }
}
