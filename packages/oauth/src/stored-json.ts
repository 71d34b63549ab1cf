import { Secret } from '@switchboard/domain';

/** Writes and reads what a scheme keeps in a `Secret`. The vault vouches that it is read as it was written. */
export const storedJson = <Value extends { readonly kind: string }>(kind: Value['kind']) => ({
  write: (value: Value): Secret => new Secret(JSON.stringify(value)),
  read: (secret: Secret): Value => {
    const value = JSON.parse(secret.reveal()) as Value;
    if (value.kind !== kind) throw new Error(`a credential of ${kind} was expected`);
    return value;
  },
});
