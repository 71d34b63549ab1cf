import type { Manifest } from '@switchboard/domain/ports';

/** The `User-Agent` header for platforms whose manifest requires one; no header elsewhere. */
export const createUserAgentHeader = ({
  userAgent,
}: Pick<Manifest, 'userAgent'>): Readonly<Record<string, string>> =>
  userAgent === undefined ? {} : { 'user-agent': userAgent };
