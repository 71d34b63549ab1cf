import type {
  EffectName,
  Fault,
  FaultSpec,
  LedgerEntry,
  LoggedRequest,
  Settings,
} from '@switchboard/sandbox';

/** The sandbox's control endpoints: faults, and what actually happened in the sandbox. */
export function sandboxControl(sandboxUrl: string) {
  const sendRequest = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${sandboxUrl}/_control${path}`, {
      method,
      // Whole tests pass between two requests: a kept-alive connection may be closing when the next request
      // starts.
      headers: { connection: 'close', ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} of the sandbox returned ${response.status}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Answer;
  };
  return {
    fault: (order: FaultSpec) => sendRequest<{ id: string }>('POST', '/faults', order),
    faults: async () => (await sendRequest<{ data: readonly Fault[] }>('GET', '/faults')).data,
    clearFaults: () => sendRequest('DELETE', '/faults'),
    settings: (settings: Partial<Settings>) => sendRequest('POST', '/settings', settings),
    addClient: (client: { readonly id: string; readonly secret: string }) =>
      sendRequest('POST', '/clients', client),
    revokeGrants: (account: string) => sendRequest('POST', '/grants/revoke', { account }),
    deletePost: (id: string) => sendRequest('DELETE', `/posts/${id}`),
    requests: async () => (await sendRequest<{ data: readonly LoggedRequest[] }>('GET', '/requests')).data,
    async ledger(effect: EffectName, account?: string): Promise<readonly LedgerEntry[]> {
      const query = new URLSearchParams({ effect, ...(account !== undefined && { account }) });
      return (await sendRequest<{ data: LedgerEntry[] }>('GET', `/ledger?${query.toString()}`)).data;
    },
  };
}
