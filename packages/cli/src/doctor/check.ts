/** One checked item. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** How to fix a problem. */
  readonly advice: string | null;
}

export const passedCheck = (name: string, detail: string): Check => ({
  name,
  ok: true,
  detail,
  advice: null,
});

export const failedCheck = (name: string, detail: string, advice: string): Check => ({
  name,
  ok: false,
  detail,
  advice,
});
