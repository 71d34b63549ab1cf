/**
 * Unit: UTF-16 code units, `length` in JavaScript, Java and C#; an emoji outside the Basic Multilingual Plane
 * is two. Counts everything. Source: TikTok's Content Posting API ("2200 in UTF-16 runes").
 */
export const utf16Units = (text: string): number => text.length;
