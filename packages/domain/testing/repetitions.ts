/**
 * How often a test repeats what is random in it. `pnpm test` repeats it `few` times; `pnpm test:chaos histories`, which
 * sets SWITCHBOARD_TEST_REPETITIONS to `many`, repeats it `many` times.
 */
export const repetitions = ({ few, many }: { readonly few: number; readonly many: number }): number =>
  process.env['SWITCHBOARD_TEST_REPETITIONS'] === 'many' ? many : few;

/** The seeds of random histories: those that an environment variable names, otherwise the first ones. */
export const randomSeeds = (
  variable: string,
  count: { readonly few: number; readonly many: number },
): readonly number[] =>
  process.env[variable]?.split(',').map(Number) ??
  Array.from({ length: repetitions(count) }, (_, at) => at + 1);
