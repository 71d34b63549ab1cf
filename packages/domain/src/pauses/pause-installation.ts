import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { auditInstallation, type InstallationPorts } from './audit-installation.js';
import { repeatPause, type Pause } from './pause.js';

interface PauseInstallation extends Pick<Pause, 'cause' | 'by'> {
  readonly reason?: string | undefined;
}

/**
 * Holds the posts and refunds of all workspaces. When it has committed, no process starts to send one; what is being
 * sent is completed. For an operator, and for the service itself: no key can do it.
 */
export async function pauseInstallation(
  ports: InstallationPorts & Pick<AtomicPorts, 'clock'>,
  { cause, by, reason = undefined }: PauseInstallation,
): Promise<Result<Pause, never>> {
  await ports.pauses.lock();
  const { pause: before } = await ports.pauses.findInstallation();
  const pause = repeatPause(before, { cause, by, reason: reason ?? null, at: ports.clock.now() });
  if (pause === before) return ok(pause);
  await ports.pauses.updateInstallation({ pause });
  await auditInstallation(ports, 'pauseInstallation', by, { cause: pause.cause, reason: pause.reason });
  return ok(pause);
}
