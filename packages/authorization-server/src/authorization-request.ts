import { grantableScopes } from '@switchboard/domain/clients';

/** The parameters of an authorization request that this server uses; it ignores all others (RFC 6749, 3.1). */
const PARAMETERS = [
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'request',
  'request_uri',
  'resource',
  'response_type',
  'state',
  'ui_locales',
];

type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The request as the library handles it. A client that requests no scope of ours requests all that a client
 * can be granted: the person decides. Every request prompts, so that the only prompt with a meaning is `none`.
 */
export function readAuthorizationRequest(query: Query): Record<string, string | string[]> {
  const kept = Object.entries(query).flatMap(([name, value]): [string, string | string[]][] =>
    value !== undefined && PARAMETERS.includes(name)
      ? [[name, typeof value === 'string' ? value : [...value]]]
      : [],
  );
  return {
    ...Object.fromEntries(kept),
    ...(query['prompt'] === 'none' && { prompt: 'none' }),
    scope: readScopes(query['scope']),
  };
}

function readScopes(scope: Query[string]): string | string[] {
  // Two are rejected, as every repeated parameter.
  if (scope !== undefined && typeof scope !== 'string') return [...scope];
  const requested = (scope ?? '').split(' ');
  const known = grantableScopes.filter((one) => requested.includes(one));
  return (known.length > 0 ? known : grantableScopes).join(' ');
}
