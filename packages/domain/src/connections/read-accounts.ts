import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type {
  ConnectMethod,
  FoundAccount,
  Grant,
  Manifest,
  PlatformFailureCode,
  Ports,
} from '../ports/index.js';
import type { Result } from '../result.js';
import type { RemoteAccount } from './connection.js';

export interface PlatformLogin {
  readonly manifest: Manifest;
  readonly connectMethod: ConnectMethod;
  readonly grant: Grant;
}

/** Reads from the platform which accounts a login opens. Nothing is stored. */
export async function readAccounts(
  ports: Pick<Ports, 'authorizers' | 'platforms'>,
  call: Pick<Call, 'signal'>,
  { manifest, connectMethod, grant }: PlatformLogin,
): Promise<Result<readonly FoundAccount[], PlatformFailureCode | 'platform.not_found'>> {
  const platform = ports.platforms.find(manifest.id);
  if (!platform) return refuse('platform.not_found', 'This platform is not installed.');
  const session = await ports.authorizers.openSession(manifest, connectMethod, grant, call.signal);
  return session.ok ? platform.connecting.identify(session.value) : session;
}

/** The account data that is stored and shown: everything except its grant. */
export function withoutCredential({
  credential: _credential,
  permissions: _permissions,
  ...account
}: FoundAccount): RemoteAccount {
  return account;
}
