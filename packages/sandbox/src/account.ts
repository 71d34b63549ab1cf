/** The owner of an account on a sandbox platform: a person, a brand or a shop. */
export interface Account {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly about: string;
  /** Two colors of the profile image, as `hsl` hues. */
  readonly hues: readonly [number, number];
  readonly createdAt: string;
}

export function avatarUrl(origin: string, platform: string, account: Account): string {
  return `${origin}/${platform}/avatars/${account.id}.svg`;
}
