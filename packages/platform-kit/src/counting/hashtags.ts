const HASHTAG =
  /(?<![\p{L}\p{M}\p{N}_&/#＃])[#＃](?=[\p{N}_]*[\p{L}\p{M}\p{So}])[\p{L}\p{M}\p{N}\p{So}_\u200d]+/gu;

/**
 * Unit: hashtags, counting each occurrence. Counts `#` followed by a word that is not only digits, and not
 * within a word or a URL. Source: Instagram's caption, "maximum … 30 hashtags" (developers.facebook.com, IG
 * User media), fewer since; the manifest holds the number.
 */
export function hashtags(text: string): number {
  let count = 0;
  for (const _ of text.matchAll(HASHTAG)) count++;
  return count;
}
