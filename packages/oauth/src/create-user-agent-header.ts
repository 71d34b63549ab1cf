import type { Manifest } from '@switchboard/domain';

/** What requests call themselves at a platform that says how; nothing elsewhere. */
export const createUserAgentHeader = ({ userAgent }: Pick<Manifest, 'userAgent'>): Readonly<Record<string, string>> =>
  userAgent === undefined ? {} : { 'user-agent': userAgent };
