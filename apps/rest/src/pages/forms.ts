/** The fields that every form of a connect page needs to submit to us. */
export interface Forms {
  /** `/connect/<token>`. */
  readonly path: string;
  readonly csrf: string;
  /** The addresses to which the forms may lead, for the content security policy. */
  readonly targets: readonly string[];
}
