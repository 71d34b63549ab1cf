import type { FaultKind, FaultSpec } from '../faults.js';
import { FAULT_KINDS } from '../faults.js';
import { fieldsOf, isProvided } from '../wire/parameters.js';
import type { PlatformName } from '../world.js';
import { PLATFORM_NAMES } from '../world.js';

/** The fault of a control request, or the name of the invalid field. */
export function readFault(body: Readonly<Record<string, unknown>>): FaultSpec | { readonly wrong: string } {
  const { platform, kind, times } = body;
  const match = fieldsOf(body['match']);
  if (!PLATFORM_NAMES.includes(platform as PlatformName)) return { wrong: 'platform' };
  if (!FAULT_KINDS.includes(kind as FaultKind)) return { wrong: 'kind' };
  if (times !== undefined && times !== null && !(isCount(times) && times !== 0)) return { wrong: 'times' };
  const wrongCount = ['after', 'delay_ms', 'retry_after', 'status'].find(
    (field) => isProvided(body[field]) && !isCount(body[field]),
  );
  const wrongText = ['method', 'path_prefix', 'account', 'token', 'body'].find(
    (field) => isProvided(match[field]) && typeof match[field] !== 'string',
  );
  const wrong =
    wrongCount ??
    wrongText ??
    ['location', 'words'].find((field) => isProvided(body[field]) && typeof body[field] !== 'string');
  if (wrong !== undefined) return { wrong };
  if (isProvided(body['status']) && !(Number(body['status']) >= 400 && Number(body['status']) <= 599))
    return { wrong: 'status' };

  const text = (value: unknown) => (isProvided(value) ? (value as string) : undefined);
  const count = (value: unknown) => (isProvided(value) ? (value as number) : undefined);
  return {
    platform: platform as PlatformName,
    kind: kind as FaultKind,
    match: {
      method: text(match['method']),
      path_prefix: text(match['path_prefix']),
      account: text(match['account']),
      token: text(match['token']),
      body: text(match['body']),
    },
    times: times as number | null | undefined,
    after: count(body['after']),
    delay_ms: count(body['delay_ms']),
    retry_after: count(body['retry_after']),
    status: count(body['status']),
    location: text(body['location']),
    words: text(body['words']),
  };
}

/** Converts the home page's form to the shape of a JSON request. */
export function faultFromForm(form: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [platform, method, path_prefix] = (typeof form['target'] === 'string' ? form['target'] : '').split(
    ' ',
  );
  const number = (name: string) => (isProvided(form[name]) ? Number(form[name]) : undefined);
  return {
    platform,
    kind: form['kind'],
    match: { method, path_prefix },
    times: form['times'] === 'always' ? null : number('times'),
    delay_ms: number('delay_ms'),
    retry_after: number('retry_after'),
  };
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
