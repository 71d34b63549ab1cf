interface HttpMessageParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * A refusal without the credentials that it was sent: some servers repeat them in their errors, whose words are quoted to
 * callers and kept.
 */
export function redactCredentials<Refusal extends HttpMessageParts>(
  answer: Refusal,
  sent: Readonly<Record<string, string>>,
  keyInPath = '',
): Refusal {
  const credentials = [keyInPath, ...Object.entries(sent).flatMap(findCredentials)].flatMap(listSpellings);
  if (credentials.length === 0) return answer;
  const redact = (text: string) =>
    credentials.reduce((rest, credential) => rest.replaceAll(credential, '[secret]'), text);
  // One character for each byte, so that whatever else is in it stays as it was.
  const bytes = Buffer.from(answer.body).toString('latin1');
  const redacted = redact(bytes);
  return {
    ...answer,
    headers: Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, redact(value)] as const),
    ),
    body: redacted === bytes ? answer.body : Buffer.from(redacted, 'latin1'),
  };
}

const REDACTED_LENGTH_MIN = 8;

function findCredentials([name, value]: readonly [string, string]): readonly string[] {
  if (name !== 'authorization') return /token|secret|key|cookie|dpop/.test(name) ? [value] : [];
  const [, scheme = '', credential = ''] = /^(\S+)\s+(.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [credential];
  const pair = Buffer.from(credential, 'base64').toString();
  const password = pair.slice(pair.indexOf(':') + 1);
  return [credential, password, decodeIfEscaped(password)];
}

/** In Basic of OAuth a secret is form-encoded; elsewhere it is as it is. */
function decodeIfEscaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const listSpellings = (credential: string): readonly string[] =>
  credential.length < REDACTED_LENGTH_MIN
    ? []
    : [credential, encodeURIComponent(credential), JSON.stringify(credential).slice(1, -1)].map((text) =>
        Buffer.from(text).toString('latin1'),
      );
