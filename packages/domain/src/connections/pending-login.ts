import type { Grant } from '../ports/index.js';
import type { SealBinding } from '../ports/vault.js';
import { Secret } from '../secret.js';
import type { ConnectChoiceId } from '../ids.js';

/** A login with the account-specific grants, by account id. */
interface PendingLogin {
  readonly grant: Grant;
  readonly accountGrants: ReadonlyMap<string, Grant>;
}

export const choiceBinding = (id: ConnectChoiceId): SealBinding => ({
  table: 'connect_choices',
  row: id,
  field: 'sealed_login',
  generation: 0,
});

export const serializeLogin = ({ grant, accountGrants }: PendingLogin): Secret =>
  new Secret(
    JSON.stringify({ grant: toJson(grant), own: [...accountGrants].map(([id, each]) => [id, toJson(each)]) }),
  );

export function parseLogin(secret: Secret): PendingLogin {
  const { grant, own } = JSON.parse(secret.reveal()) as {
    grant: GrantJson;
    own: readonly (readonly [string, GrantJson])[];
  };
  return { grant: fromJson(grant), accountGrants: new Map(own.map(([id, each]) => [id, fromJson(each)])) };
}

interface GrantJson extends Pick<Grant, 'permissions' | 'server'> {
  readonly credential: string;
  readonly accessExpiresAt: string | null;
  readonly expiresAt: string | null;
}

const toJson = (grant: Grant): GrantJson => ({
  ...grant,
  credential: grant.credential.reveal(),
  accessExpiresAt: grant.accessExpiresAt?.toISOString() ?? null,
  expiresAt: grant.expiresAt?.toISOString() ?? null,
});

const fromJson = (json: GrantJson): Grant => ({
  ...json,
  credential: new Secret(json.credential),
  accessExpiresAt: json.accessExpiresAt === null ? null : new Date(json.accessExpiresAt),
  expiresAt: json.expiresAt === null ? null : new Date(json.expiresAt),
});
