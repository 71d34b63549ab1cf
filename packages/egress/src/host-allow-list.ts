import { isIP } from 'node:net';

/** The hosts that the operator allows by name, in addition to public ones. */
export interface HostAllowList {
  allows(hostname: string, port: number): boolean;
}

/** Entries are `host` or `host:port`, with IPv6 addresses in brackets, compared in URL notation. */
export function hostAllowList(allowPrivateHosts: readonly string[]): HostAllowList {
  const entries = new Set(allowPrivateHosts.map(canonicalize));
  return {
    allows: (hostname, port) => {
      const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
      const name = canonicalize(host);
      return entries.has(name) || entries.has(`${name}:${port}`);
    },
  };
}

function canonicalize(entry: string): string {
  const port = /(?<!^\[[^\]]*):(\d{1,5})$/.exec(entry)?.[1];
  const host = port === undefined ? entry : entry.slice(0, -port.length - 1);
  if (!URL.canParse(`http://${host}/`)) throw new Error(`"${entry}" is neither a host nor host:port`);
  const { hostname } = new URL(`http://${host}/`);
  return port === undefined ? hostname : `${hostname}:${Number(port)}`;
}
