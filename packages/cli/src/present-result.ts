import type { Call } from '@switchboard/domain';
import { catalog, describeIssue, problemsOf } from '@switchboard/operations';
import { usageError } from './command-result.js';
import type { CommandContext } from './with-service.js';

export function findOperation(name: string) {
  const found = catalog.find((one) => one.name === name);
  if (!found) throw new Error(`unknown operation ${name}`);
  return found;
}

/** A value as the operation `name` returns it on REST, with its sentence. */
export function presentResult(
  { service: { ports } }: CommandContext,
  call: Call,
  name: string,
  value: unknown,
): { readonly json: Readonly<Record<string, unknown>>; readonly sentence: string } {
  const { present, output, sentence } = findOperation(name);
  const json = output.parse(present(value as never, { call, now: ports.clock.now(), ports }));
  const platformName = (id: string) => ports.manifests.find(id)?.name ?? id;
  return { json, sentence: sentence(json, { platformName }) };
}

/** The id in the audit row of the operation `name`: that of the response, unless the operation names another. */
export function auditedObjectOf(
  context: CommandContext,
  call: Call,
  name: string,
  value: unknown,
): string | null {
  const { object } = findOperation(name);
  const id = object ? object(value) : presentResult(context, call, name, value).json['id'];
  return typeof id === 'string' ? id : null;
}

/**
 * Rejects what the operation `name` would reject on REST: the same lengths, the same time zones. Null when
 * the input is valid.
 */
export function findInputProblem(name: string, input: Readonly<Record<string, unknown>>) {
  const { error } = findOperation(name).input.safeParse(input, { reportInput: true, error: describeIssue });
  const [problem] = error?.issues.flatMap((issue) => problemsOf(issue)) ?? [];
  return problem ? usageError(`${problem.path}: ${problem.message}`) : null;
}
