interface HttpMessageParts {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Removes the sent credentials from an error response: some servers echo them in error texts, which are
 * quoted to callers and stored.
 */
export function redactCredentials<Refusal extends HttpMessageParts>(
  answer: Refusal,
  sent: Readonly<Record<string, string>>,
  keyInUrl = '',
): Refusal {
  const credentials = [keyInUrl, ...Object.entries(sent).flatMap(findCredentials)].flatMap(listSpellings);
  if (credentials.length === 0) return answer;
  const redact = (text: string) =>
    credentials.reduce((rest, credential) => rest.replaceAll(credential, '[secret]'), text);
  // One character per byte, so that all other bytes stay unchanged.
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

/** OAuth's Basic scheme form-encodes the secret; others send it unencoded. */
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
