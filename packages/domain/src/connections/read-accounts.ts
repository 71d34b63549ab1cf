import type { Call } from '../call.js';
import { refuse } from '../failure.js';
import type {
  ConnectWay,
  FoundAccount,
  Grant,
  Manifest,
  PlatformFailureCode,
  Ports,
} from '../ports/index.js';
import type { Result } from '../result.js';
import type { RemoteAccount } from './connection.js';

/** A login that a platform has just granted. */
export interface Login {
  readonly manifest: Manifest;
  readonly way: ConnectWay;
  readonly grant: Grant;
}

/** Asks the platform which accounts a login opens. Nothing is stored. */
export async function readAccounts(
  ports: Pick<Ports, 'authorizers' | 'platforms'>,
  call: Pick<Call, 'signal'>,
  { manifest, way, grant }: Login,
): Promise<Result<readonly FoundAccount[], PlatformFailureCode | 'platform.not_found'>> {
  const platform = ports.platforms.find(manifest.id);
  if (!platform) return refuse('platform.not_found', 'This platform is not installed.');
  const line = await ports.authorizers.sessionOf(manifest, way, grant, call.signal);
  return line.ok ? platform.connecting.identify(line.value) : line;
}

/** What is stored and shown of an account: everything but what belongs to its grant. */
export function withoutCredential({
  credential: _credential,
  permissions: _permissions,
  ...account
}: FoundAccount): RemoteAccount {
  return account;
}
