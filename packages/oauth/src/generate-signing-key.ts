import { randomUUID } from 'node:crypto';
import { JoseKey } from '@atproto/oauth-client-node';
import { Secret } from '@switchboard/domain';

/** A new private key (ES256, as JWK) with which this installation proves at AT Protocol servers that it is itself. */
export async function generateSigningKey(): Promise<Secret> {
  const key = await JoseKey.generate(['ES256'], `switchboard-${randomUUID()}`);
  return new Secret(JSON.stringify(key.privateJwk));
}
