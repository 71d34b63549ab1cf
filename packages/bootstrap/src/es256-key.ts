import { createECDH, createHash } from 'node:crypto';
import { Secret } from '@switchboard/domain';

/** A private JWK for ES256, computed from a secret that is derived for its purpose: it is not stored. */
export function es256Key(secret: Uint8Array): Secret {
  const curve = createECDH('prime256v1');
  curve.setPrivateKey(Buffer.from(secret));
  const point = curve.getPublicKey();
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const kid = createHash('sha256').update(point).digest('base64url').slice(0, 16);
  const d = Buffer.from(secret).toString('base64url');
  return new Secret(
    JSON.stringify({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid, x: part(1), y: part(33), d }),
  );
}
