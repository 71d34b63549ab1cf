const HASHTAG =
  /(?<![\p{L}\p{M}\p{N}_&/#＃])[#＃](?=[\p{N}_]*[\p{L}\p{M}\p{So}])[\p{L}\p{M}\p{N}\p{So}_\u200d]+/gu;

/**
 * Unit: hashtags, each time one stands there.
 * Counts `#` with a word after it, that is not only digits, and not within a word or an address.
 * Source: Instagram's caption, "maximum … 30 hashtags" (developers.facebook.com, IG User media), fewer since; the number is the manifest's.
 */
export function hashtags(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(HASHTAG)) count++;
  return count;
}
