import { refuse } from '@switchboard/domain';
import type { PlatformRequest, Session } from '@switchboard/domain/ports';
import { ALL_RESOURCES, type AdobeStore } from '@switchboard/simulators';

/** A session to a store without a socket, for tests with many requests: it records them. */
export function directSession(
  store: AdobeStore,
  resources: readonly string[] = ALL_RESOURCES,
): Session & { sent(): readonly PlatformRequest[] } {
  const sent: PlatformRequest[] = [];
  return {
    account: { id: 'shop.example', username: null, name: null, avatarUrl: null, url: null },
    connectMethod: 'oauth',
    baseUrl: 'https://shop.example',
    apiVersion: null,
    grantedPermissions: resources,
    signal: new AbortController().signal,
    sent: () => sent,
    async request(request) {
      const { method, path, query = {}, json: body, acceptsErrorStatuses = false } = request;
      sent.push(request);
      const requested = new URLSearchParams(
        Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string]),
      );
      const { status, json } = store.respondAs(
        { method, path, query: requested, headers: {}, body },
        resources,
      );
      if (status === 401 && !acceptsErrorStatuses) return refuse('connection.needs_reauth', 'Connect again.');
      return { ok: true, value: { status, ok: status < 300, headers: {}, body: new Uint8Array(), json } };
    },
  };
}
