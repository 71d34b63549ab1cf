import { createPrivateKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { JwtFacts } from '@switchboard/domain/ports';
import { SignJWT } from 'jose';

/** A key, and the token that it signs for every request. */
export interface JwtSigner {
  readonly algorithm: JwtFacts['algorithm'];
  /** The secret in Base64, or the private key as PEM. */
  readonly key: string;
  readonly keyId: string | null;
  readonly claims: Readonly<Record<string, string>>;
  readonly lifetimeSeconds: number;
  readonly scheme: string;
}

/** For servers whose clock is behind. */
const LEEWAY_SECONDS = 5;

/** The value of `Authorization` for one request. */
export async function signJwt(
  { algorithm, key, keyId, claims, lifetimeSeconds, scheme }: JwtSigner,
  now: Date,
): Promise<string> {
  const issuedAt = Math.floor(now.getTime() / 1_000) - LEEWAY_SECONDS;
  const token = await new SignJWT({ ...claims })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId !== null && { kid: keyId }) })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(toKeyObject(algorithm, key));
  return `${scheme} ${token}`;
}

/** The fields besides that of the key. */
export const signingFieldsOf = ({ keyId, claims }: JwtFacts): readonly string[] => [
  ...(keyId && 'field' in keyId ? [keyId.field] : []),
  ...Object.values(claims).flatMap(placeholderOf),
];

/** The name of the field in `{name}`. */
export const placeholderOf = (value: string): readonly string[] => {
  const name = /^\{(\w+)\}$/.exec(value)?.[1];
  return name === undefined ? [] : [name];
};

/** The signer from the entered values, or the field whose value is no key of this kind. */
export function readSigningKey(
  { algorithm, keyField, keyEncoding, keyId, claims, lifetimeSeconds, scheme = 'Bearer' }: JwtFacts,
  values: Readonly<Record<string, string>>,
): { readonly jwt: JwtSigner } | { readonly invalidField: string } {
  const read = (field: string) => (values[field] ?? '').trim();
  const typed = read(keyField);
  const separator = keyId && 'before' in keyId ? keyId.before : null;
  const at = separator === null ? 0 : typed.indexOf(separator);
  if (at < 0) return { invalidField: keyField };
  const key = readKey(
    algorithm,
    separator === null ? typed : typed.slice(at + separator.length),
    keyEncoding,
  );
  if (key === null) return { invalidField: keyField };
  const jwt = {
    algorithm,
    key,
    keyId: separator !== null ? typed.slice(0, at) : keyId && 'field' in keyId ? read(keyId.field) : null,
    claims: Object.fromEntries(
      Object.entries(claims).map(([name, value]) => {
        const [field] = placeholderOf(value);
        return [name, field === undefined ? value : read(field)];
      }),
    ),
    lifetimeSeconds,
    scheme,
  };
  return { jwt };
}

/** The key as it is stored; null where it is none. */
function readKey(
  algorithm: JwtFacts['algorithm'],
  typed: string,
  encoding: JwtFacts['keyEncoding'],
): string | null {
  if (algorithm !== 'HS256') return readPem(algorithm, typed);
  const isEncoded = encoding === 'hex' ? /^([0-9a-f]{2})+$/i.test(typed) : /^[\w+/=-]+$/.test(typed);
  if (encoding !== undefined && !isEncoded) return null;
  const bytes = Buffer.from(typed, encoding ?? 'utf8');
  return bytes.length === 0 ? null : bytes.toString('base64');
}

/** A form removes the line breaks of a PEM text: they are restored. */
function readPem(algorithm: JwtFacts['algorithm'], typed: string): string | null {
  const [, label = '', body = ''] = /-----BEGIN ([A-Z ]+)-----([^-]+)-----END \1-----/.exec(typed) ?? [];
  const lines = body.replace(/\\n|\s/g, '').match(/.{1,64}/g) ?? [];
  const pem = [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
  try {
    const { asymmetricKeyType: type } = createPrivateKey(pem);
    return type === (algorithm === 'RS256' ? 'rsa' : 'ec') ? pem : null;
  } catch {
    return null;
  }
}

const toKeyObject = (algorithm: JwtFacts['algorithm'], key: string): KeyObject =>
  algorithm === 'HS256' ? createSecretKey(key, 'base64') : createPrivateKey(key);
