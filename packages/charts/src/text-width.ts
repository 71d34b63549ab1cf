/** Nothing measures text here: an estimate that is rather too wide, so that nothing is cut. */
const LETTER = 0.65;
const NARROW = /^[ijlIft.,:;'\|!\(\)\[\] ]$/v;
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}]$/v;

export const widthOf = (text: string, size: number, isBold = false): number =>
  [...text].reduce((sum, letter) => sum + widthOfLetter(letter), 0) * size * (isBold ? 1.1 : 1);

function widthOfLetter(letter: string): number {
  if (NARROW.test(letter)) return 0.42;
  if (WIDE.test(letter)) return 1.05;
  return /^[A-Z@%MWmw]$/v.test(letter) ? 0.84 : LETTER;
}
