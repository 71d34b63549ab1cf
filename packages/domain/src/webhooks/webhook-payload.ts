import type { Event } from '../events/event.js';

/** The largest body of a delivery, in bytes. */
export const PAYLOAD_BYTES_MAX = 20_000;

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

/** The body of a delivery. A list that does not fit is cut, and `data.truncated` is true. */
export function formatWebhookBody(event: Event, options: { readonly hidePersonalData: boolean }): string {
  const payload = toEventPayload(event, options);
  let text = JSON.stringify(payload);
  let { data }: { data: Readonly<Record<string, unknown>> } = payload;
  while (bytesOf(text) > PAYLOAD_BYTES_MAX) {
    data = { ...cutLongestList(data), truncated: true };
    text = JSON.stringify({ ...payload, data });
  }
  return text;
}

/** Halves the list that takes the most space; without a list, removes the longest field. */
function cutLongestList(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const bySize = Object.entries(data).sort(
    ([, one], [, other]) => JSON.stringify(other).length - JSON.stringify(one).length,
  );
  const list = bySize.find(([, value]) => Array.isArray(value) && value.length > 0);
  if (list) {
    const [name, value] = list as [string, readonly unknown[]];
    return { ...data, [name]: value.slice(0, Math.floor(value.length / 2)) };
  }
  const [longest] = bySize;
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== longest?.[0]));
}
