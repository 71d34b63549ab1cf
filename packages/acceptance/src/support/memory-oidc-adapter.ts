import type { Adapter, AdapterPayload } from 'oidc-provider';

/**
 * The storage of an authorization server. Nothing is deleted on expiry: the server itself checks the time.
 */
export function memoryOidcAdapter(): (model: string) => Adapter {
  const payloads = new Map<string, AdapterPayload>();
  return (model) => {
    const key = (id: string) => `${model}:${id}`;
    const findPayload = (fits: (payload: AdapterPayload) => boolean) =>
      [...payloads].find(([name, payload]) => name.startsWith(`${model}:`) && fits(payload))?.[1];
    return {
      upsert: async (id, payload) => void payloads.set(key(id), payload),
      find: async (id) => payloads.get(key(id)),
      findByUid: async (uid) => findPayload((payload) => payload.uid === uid),
      findByUserCode: async (code) => findPayload((payload) => payload.userCode === code),
      consume: async (id) => {
        const payload = payloads.get(key(id));
        if (payload) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id) => void payloads.delete(key(id)),
      revokeByGrantId: async (grantId) => {
        for (const [name, payload] of payloads) if (payload.grantId === grantId) payloads.delete(name);
      },
    };
  };
}
