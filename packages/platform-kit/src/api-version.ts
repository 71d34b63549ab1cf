/**
 * The version of the interface between an adapter and Switchboard, major.minor. The major part changes when an
 * adapter must change, the minor part when the kit offers more. `definePlatform` stores it in the default export of
 * an adapter.
 *
 * 1.5: `exists` and `remove` of a platform's client, `nullIfNotFound`, `nullIfCode` and `anyResponse`.
 * 1.4: `ofDays` of analytics, which may have no metrics of posts.
 * 1.3: the subtotal of an order is not read any more: it follows from the lines and the discount.
 * 1.2: `otherBaseUrls` and `grantIsPerUser` of the manifest.
 */
export const API_VERSION = '1.5';

/** Whether a Switchboard with the interface `own` runs an adapter that was built for `theirs`. */
export function isCompatibleVersion(theirs: string, own = API_VERSION): boolean {
  const [major = NaN, minor = NaN] = partsOf(theirs);
  const [ownMajor = NaN, ownMinor = NaN] = partsOf(own);
  return major === ownMajor && minor <= ownMinor;
}

const partsOf = (version: string): readonly number[] =>
  /^\d+\.\d+$/.test(version) ? version.split('.').map(Number) : [];
