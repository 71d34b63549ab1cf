interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * A refusal without the credentials that it was sent: some servers repeat them in their errors, whose words are quoted to
 * callers and kept.
 */
export function withoutCredentials<Refusal extends Answer>(
  answer: Refusal,
  sent: Readonly<Record<string, string>>,
  keyInPath = '',
): Refusal {
  const credentials = [keyInPath, ...Object.entries(sent).flatMap(credentialsIn)].flatMap(spellingsOf);
  if (credentials.length === 0) return answer;
  const clean = (text: string) =>
    credentials.reduce((rest, credential) => rest.replaceAll(credential, '[secret]'), text);
  // One character for each byte, so that whatever else is in it stays as it was.
  const bytes = Buffer.from(answer.body).toString('latin1');
  const cleaned = clean(bytes);
  return {
    ...answer,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, clean(value)] as const),
    ),
    body: cleaned === bytes ? answer.body : Buffer.from(cleaned, 'latin1'),
  };
}

const SHORTEST = 8;

function credentialsIn([name, value]: readonly [string, string]): readonly string[] {
  if (name !== 'authorization') return /token|secret|key|cookie|dpop/.test(name) ? [value] : [];
  const [, scheme = '', credential = ''] = /^(\S+)\s+(.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [credential];
  const pair = Buffer.from(credential, 'base64').toString();
  const password = pair.slice(pair.indexOf(':') + 1);
  return [credential, password, unescaped(password)];
}

/** In Basic of OAuth a secret is form-encoded; elsewhere it is as it is. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const spellingsOf = (credential: string): readonly string[] =>
  credential.length < SHORTEST
    ? []
    : [credential, encodeURIComponent(credential), JSON.stringify(credential).slice(1, -1)].map((text) =>
        Buffer.from(text).toString('latin1'),
      );
