import type { Session } from '@switchboard/platform-kit';

const LOCATION = /^accounts\/([\w-]+)\/locations\/([\w-]+)$/;

/** Whether the account is a location, and not yet a login. */
export const isLocation = ({ account: { id } }: Pick<Session, 'account'>): boolean => LOCATION.test(id);

/**
 * The resource names in the id of a connected account, `accounts/{account}/locations/{location}`. Any other id is
 * an account that does not exist, and leads to no other path.
 */
export function locationOf({ account: { id } }: Pick<Session, 'account'>): {
  readonly account: string;
  readonly location: string;
  /** Where the posts of the location are. */
  readonly posts: string;
} {
  const [, owner = encodeURIComponent(id), place = '-'] = LOCATION.exec(id) ?? [];
  const [account, location] = [`accounts/${owner}`, `locations/${place}`];
  return { account, location, posts: `/v4/${account}/${location}/localPosts` };
}
