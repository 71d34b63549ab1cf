import type { Config } from '@switchboard/bootstrap';

const EVERYWHERE = ['0.0.0.0', '::'];

/** The URL at which a process of this machine listens, regardless of its public URL. */
export function localUrl({ host, tls }: Pick<Config, 'host' | 'tls'>, port: number): string {
  const name = EVERYWHERE.includes(host) ? '127.0.0.1' : host;
  return `${tls === null ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
