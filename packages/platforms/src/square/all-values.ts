import { ok, type FailureCode, type Result } from '@switchboard/platform-kit';

/** The values of all results, or the first failure. */
export function allValues<Value, Code extends FailureCode>(
  results: readonly Result<Value, Code>[],
): Result<readonly Value[], Code> {
  const values: Value[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    values.push(result.value);
  }
  return ok(values);
}
