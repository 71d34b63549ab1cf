/**
 * The path of the first key that an object of this JSON text repeats, such as `targets.0.options.topic`; null
 * when there is none. `JSON.parse` keeps the last value and other parsers keep the first, so that a proxy
 * that checks requests and this service could read different ones (RFC 8259, section 4). The text was parsed
 * before: this function does not validate it.
 */
export function findDuplicateKey(json: string): string | null {
  const open: Container[] = [];
  for (let at = 0; at < json.length; at++) {
    const inner = open.at(-1);
    switch (json.charAt(at)) {
      case '"': {
        const end = endOfString(json, at);
        if (inner?.expectsKey === true) {
          const key = JSON.parse(json.slice(at, end)) as string;
          inner.step = key;
          inner.expectsKey = false;
          if (inner.keys.has(key)) return open.map(({ step }) => String(step)).join('.');
          inner.keys.add(key);
        }
        at = end - 1;
        break;
      }
      case '{':
        open.push({ keys: new Set(), expectsKey: true, step: '' });
        break;
      case '[':
        open.push({ keys: new Set(), expectsKey: false, step: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (typeof inner?.step === 'number') inner.step += 1;
        else if (inner) inner.expectsKey = true;
        break;
    }
  }
  return null;
}

interface Container {
  readonly keys: Set<string>;
  /** Whether the next string is a key of this object. */
  expectsKey: boolean;
  /** The key or index of the current value. */
  step: string | number;
}

/** The index after the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; ; at++) {
    if (json[at] === '\\') at += 1;
    else if (json[at] === '"') return at + 1;
  }
}
