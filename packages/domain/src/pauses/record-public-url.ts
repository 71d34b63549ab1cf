import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { InstallationPorts } from './audit-installation.js';
import { pauseInstallation } from './pause-installation.js';
import type { Pause } from './pause.js';

interface RecordPublicUrl {
  readonly publicUrl: string;
}

/**
 * Records the public URL under which the installation starts. A database that was last used under another one may be
 * a copy whose original still runs, so that it starts paused. Returns the pause that began; null where none did.
 */
export async function recordPublicUrl(
  ports: InstallationPorts & Pick<AtomicPorts, 'clock'>,
  { publicUrl }: RecordPublicUrl,
): Promise<Result<Pause | null, never>> {
  const isKnown = (known: string | null) => known !== null && isSameInstallation(known, publicUrl);
  if (isKnown((await ports.pauses.findInstallation()).publicUrl)) return ok(null);
  await ports.pauses.lock();
  const before = (await ports.pauses.findInstallation()).publicUrl;
  if (isKnown(before)) return ok(null);
  await ports.pauses.updateInstallation({ publicUrl });
  if (before === null) return ok(null);
  const reason = `This database was last used under ${before} and now runs under ${publicUrl}. If the installation under ${before} still runs, it publishes and refunds the same.`;
  return pauseInstallation(ports, { cause: 'changed_public_url', by: 'system:start', reason });
}

/** A loopback URL identifies no installation: its port is whichever is free. */
const isSameInstallation = (one: string, other: string): boolean =>
  originOf(one) === originOf(other) || (isLoopback(one) && isLoopback(other));

const originOf = (url: string): string => `${new URL(url).origin}${new URL(url).pathname.replace(/\/$/, '')}`;

const isLoopback = (url: string): boolean =>
  /^(?:localhost|127(?:\.\d+){3}|\[::1\]|0\.0\.0\.0|\[::\])$/.test(new URL(url).hostname);
