import type {
  EffectName,
  Fault,
  FaultOrder,
  LedgerEntry,
  LoggedRequest,
  Settings,
} from '@switchboard/simulators';

/** The sandbox's control endpoints: faults, and what really happened there. */
export function sandboxControl(sandboxUrl: string) {
  const ask = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${sandboxUrl}/_control${path}`, {
      method,
      // Between two questions whole tests go by: a connection that was kept may be closing when the next is asked.
      headers: { connection: 'close', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} of the sandbox answered ${response.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Answer;
  };
  return {
    fault: (order: FaultOrder) => ask<{ id: string }>('POST', '/faults', order),
    faults: async () => (await ask<{ data: readonly Fault[] }>('GET', '/faults')).data,
    clearFaults: () => ask('DELETE', '/faults'),
    settings: (settings: Partial<Settings>) => ask('POST', '/settings', settings),
    addClient: (client: { readonly id: string; readonly secret: string }) => ask('POST', '/clients', client),
    revokeGrants: (account: string) => ask('POST', '/grants/revoke', { account }),
    requests: async () => (await ask<{ data: readonly LoggedRequest[] }>('GET', '/requests')).data,
    async ledger(effect: EffectName, account?: string): Promise<readonly LedgerEntry[]> {
      const query = new URLSearchParams({ effect, ...(account !== undefined && { account }) });
      return (await ask<{ data: LedgerEntry[] }>('GET', `/ledger?${query.toString()}`)).data;
    },
  };
}
