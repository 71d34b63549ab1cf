import type { Event } from '../events/event.js';

/** The largest body of a delivery, in bytes. */
const PAYLOAD_BYTES_MAX = 20_000;

const MASK = '***';

/** The public representation of an event, in the list of events and as the body of a delivery. */
export const toEventPayload = (
  { id, type, createdAt, profileId, sequence, data }: Event,
  { hidePersonalData }: { readonly hidePersonalData: boolean },
) => ({
  id,
  type,
  created_at: createdAt.toISOString(),
  profile_id: profileId,
  sequence,
  data: hidePersonalData && 'account' in data ? { ...data, account: MASK } : { ...data },
});

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** The body of a delivery. A list or a text that does not fit is cut, and `data.truncated` is true. */
export function formatWebhookBody(event: Event, options: { readonly hidePersonalData: boolean }): string {
  const payload = toEventPayload(event, options);
  let text = JSON.stringify(payload);
  let { data }: { data: Data } = payload;
  while (bytesOf(text) > PAYLOAD_BYTES_MAX) {
    data = { ...cutLongest(data), truncated: true };
    text = JSON.stringify({ ...payload, data });
  }
  return text;
}

type Data = Readonly<Record<string, unknown>>;

interface Part {
  readonly path: readonly string[];
  readonly value: unknown;
}

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The lists and the values of an object and of the objects inside it. */
const partsOf = (data: Data, parent: readonly string[] = []): Part[] =>
  Object.entries(data).flatMap(([name, value]) => {
    const path = [...parent, name];
    return isObject(value) ? partsOf(value, path) : [{ path, value }];
  });

const replaceAt = (data: Data, [name = '', ...rest]: readonly string[], value: unknown): Data => ({
  ...data,
  [name]: rest.length === 0 ? value : replaceAt(data[name] as Data, rest, value),
});

/** Halves the list that takes the most space, at any depth; without a list, the longest text. Data with neither is left out. */
function cutLongest(data: Data): Data {
  const bySize = partsOf(data).sort(
    (one, other) => JSON.stringify(other.value).length - JSON.stringify(one.value).length,
  );
  const list = bySize.find(({ value }) => Array.isArray(value) && value.length > 0);
  const longest = list ?? bySize.find(({ value }) => typeof value === 'string' && value !== '');
  if (!longest) return {};
  const characters = Array.isArray(longest.value) ? null : [...(longest.value as string)];
  const all: readonly unknown[] = characters ?? (longest.value as readonly unknown[]);
  const half = all.slice(0, Math.floor(all.length / 2));
  return replaceAt(data, longest.path, characters ? half.join('') : half);
}
