/** One checked item. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** How to fix a problem; with `ok` it is a warning. */
  readonly advice: string | null;
}

export const passedCheck = (name: string, detail: string): Check => ({
  name,
  ok: true,
  detail,
  advice: null,
});

/** What does not prevent a start, and is probably not intended. */
export const warnedCheck = (name: string, detail: string, advice: string): Check => ({
  name,
  ok: true,
  detail,
  advice,
});

export const failedCheck = (name: string, detail: string, advice: string): Check => ({
  name,
  ok: false,
  detail,
  advice,
});
