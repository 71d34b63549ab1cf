import { Secret } from '@switchboard/domain';

/** Serializes and parses the credential of a scheme in a `Secret`. The vault guarantees its integrity. */
export const storedJson = <Value extends { readonly kind: string }>(kind: Value['kind']) => ({
  write: (value: Value): Secret => new Secret(JSON.stringify(value)),
  read: (secret: Secret): Value => {
    const value = JSON.parse(secret.reveal()) as Value;
    if (value.kind !== kind) throw new Error(`expected a credential of kind ${kind}`);
    return value;
  },
});
