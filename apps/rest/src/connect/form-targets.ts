import type { Service } from '@switchboard/bootstrap';
import { endsWithForm, type ConnectSession } from '@switchboard/domain/connections';
import type { PlatformFacts } from '@switchboard/domain/platforms';

type ConnectFacts = Pick<PlatformFacts, 'connectMethods' | 'appPlatforms'>;
type Config = Pick<Service['config'], 'mode' | 'platforms'>;

const LOOPBACK = ['http://127.0.0.1:*', 'http://localhost:*'];

/**
 * Everywhere a form of this session may submit to: the consent pages of the platforms, and the address where
 * the person came from.
 */
export function formTargets(
  config: Config,
  session: Pick<ConnectSession, 'returnUrl'>,
  platforms: readonly ConnectFacts[],
): readonly string[] {
  const consent = platforms.flatMap((platform) => consentPages(config, platform));
  const back = session.returnUrl === null ? [] : [new URL(session.returnUrl).origin];
  return [...new Set([...consent, ...back])];
}

/**
 * When every account has its own server, the server is unknown in advance. Developers run servers and the
 * sandbox on this machine.
 */
function consentPages(
  { mode, platforms }: Config,
  { connectMethods, appPlatforms }: ConnectFacts,
): readonly string[] {
  const redirecting = connectMethods.filter((connectMethod) => !endsWithForm(connectMethod));
  return redirecting.flatMap(({ id, scheme }) => {
    const home = appPlatforms.get(id);
    const own = home && platforms[home.id]?.authBaseUrl;
    const fixed = own ?? home?.consentBaseUrl ?? home?.authBaseUrl ?? null;
    const anywhere = fixed === null || scheme === 'atproto_oauth';
    return [
      ...(fixed === null ? [] : [new URL(fixed).origin]),
      ...(anywhere ? ['https:'] : []),
      ...(mode === 'production' ? [] : LOOPBACK),
    ];
  });
}
