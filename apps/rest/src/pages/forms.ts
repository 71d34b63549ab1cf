/** What every form of a connect page needs to find its way back to us. */
export interface Forms {
  /** `/connect/<token>`. */
  readonly path: string;
  readonly csrf: string;
  /** Where the forms may lead in the end, for the policy. */
  readonly targets: readonly string[];
}
