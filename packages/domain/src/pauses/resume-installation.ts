import { recordStates } from '../deliveries/record-states.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { auditInstallation, type InstallationPorts } from './audit-installation.js';
import { mayHaveSentElsewhere, type Pause } from './pause.js';

const BATCH = 500;

export interface ResumedInstallation {
  /** Null when the installation was not paused. */
  readonly pause: Pause | null;
  /** How many overdue posts and refunds are read back from their platforms before they are sent. */
  readonly readBack: number;
}

/**
 * Ends the pause of the installation. What became due during the pause is sent within seconds, unless its `notAfter` has
 * passed. Where another installation may have sent it, it is looked up at its platform first.
 */
export async function resumeInstallation(
  ports: InstallationPorts & Pick<AtomicPorts, 'deliveries' | 'clock'>,
  { by }: Pick<Pause, 'by'>,
): Promise<Result<ResumedInstallation, never>> {
  await ports.pauses.lock();
  const { pause } = await ports.pauses.findInstallation();
  if (pause === null) return ok({ pause, readBack: 0 });
  const readBack = mayHaveSentElsewhere(pause) ? await readBackOverdue(ports, by) : 0;
  await ports.pauses.updateInstallation({ pause: null });
  await auditInstallation(ports, 'resumeInstallation', by, { cause: pause.cause, read_back: readBack });
  return ok({ pause, readBack });
}

async function readBackOverdue(
  ports: InstallationPorts & Pick<AtomicPorts, 'deliveries' | 'clock'>,
  by: string,
): Promise<number> {
  let count = await ports.pauses.doubtRefunds();
  for (;;) {
    const doubted = await ports.pauses.doubtOverdue(BATCH);
    if (doubted.length === 0) return count;
    await recordStates(ports, doubted, 'unknown', by);
    count += doubted.length;
  }
}
