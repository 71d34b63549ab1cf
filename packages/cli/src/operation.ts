import type { Call } from '@switchboard/domain';
import { catalogue } from '@switchboard/operations';
import { misused } from './outcome.js';
import type { Desk } from './with-service.js';

function operation(name: string) {
  const found = catalogue.find((one) => one.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
}

/** A value as the operation `name` shows it on REST, with the sentence that it says of it. */
export function shown(
  { service: { ports } }: Desk,
  call: Call,
  name: string,
  value: unknown,
): { readonly json: Readonly<Record<string, unknown>>; readonly sentence: string } {
  const { present, output, sentence } = operation(name);
  const json = output.parse(present(value as never, { call, now: ports.clock.now(), ports }));
  return { json, sentence: sentence(json) };
}

/** Refuses what the operation `name` would refuse on REST: the same lengths, the same zones. Null when all is well. */
export function refusedInput(name: string, input: Readonly<Record<string, unknown>>) {
  const { error } = operation(name).input.safeParse(input);
  const [issue] = error?.issues ?? [];
  return issue ? misused(`${issue.path.join('.')}: ${issue.message.replace(/^Invalid input: /, '')}`) : null;
}
