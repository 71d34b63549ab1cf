import { recordPublicUrl } from '@switchboard/domain/pauses';
import type { Ports } from '@switchboard/domain/ports';
import type { Logger } from 'pino';
import type { Config } from './config.js';

/**
 * Before a process works: pauses an installation whose database was last used under another public URL, and logs
 * what pauses it. REST without a public URL counts as one of this machine, whatever address it listens on; a worker without
 * one compares nothing. Clients of the installation are started from any environment.
 */
export async function reportPause(
  ports: Ports,
  { publicUrl, isPublicUrlSet }: Pick<Config, 'publicUrl' | 'isPublicUrlSet'>,
  app: string,
  log: Logger,
): Promise<void> {
  const known = isPublicUrlSet ? publicUrl : 'http://localhost';
  if (app === 'rest' || (app === 'worker' && isPublicUrlSet))
    await ports.transactions.run(
      (tx) => recordPublicUrl({ ...ports, ...tx }, { publicUrl: known }),
      'lasting',
    );
  const { pause } = await ports.pauses.findInstallation();
  if (pause)
    log.warn(
      { cause: pause.cause, reason: pause.reason, by: pause.by, since: pause.at },
      'the installation is paused: no post and no refund is sent until `switchboard resume`',
    );
}
