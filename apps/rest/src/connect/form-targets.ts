import type { Service } from '@switchboard/bootstrap';
import { endsWithForm, type ConnectSession, type Manifest } from '@switchboard/domain';

type Config = Pick<Service['config'], 'mode' | 'platforms'>;

const LOOPBACK = ['http://127.0.0.1:*', 'http://localhost:*'];

/** Everywhere that a form of this session may lead: the platforms' consent pages, and back to where the person came from. */
export function formTargets(
  config: Config,
  session: Pick<ConnectSession, 'returnUrl'>,
  manifests: readonly Manifest[],
): readonly string[] {
  const consent = manifests.flatMap((manifest) => consentPages(config, manifest));
  const back = session.returnUrl === null ? [] : [new URL(session.returnUrl).origin];
  return [...new Set([...consent, ...back])];
}

/** Where every account has a server of its own nobody knows beforehand which. Developers have servers and sandbox on this machine. */
function consentPages(
  { mode, platforms }: Config,
  { id, authBaseUrl, consentBaseUrl, connect }: Manifest,
): readonly string[] {
  if (connect.every(endsWithForm)) return [];
  const fixed = platforms[id]?.authBaseUrl ?? consentBaseUrl ?? authBaseUrl;
  const anywhere = fixed === null || connect.some(({ scheme }) => scheme === 'atproto_oauth');
  return [
    ...(fixed === null ? [] : [new URL(fixed).origin]),
    ...(anywhere ? ['https:'] : []),
    ...(mode === 'production' ? [] : LOOPBACK),
  ];
}
