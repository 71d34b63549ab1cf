import type { en } from './en.js';

export type TextKey = keyof typeof en;

/** Every text in one language: `tsc` refuses one that is missing, and one that nobody uses. */
export type Texts = Readonly<Record<TextKey, string>>;

/** The names in braces of a text. */
type SlotsIn<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? Slot | SlotsIn<Rest>
  : never;

export type SlotName<Key extends TextKey> = SlotsIn<(typeof en)[Key]>;

/** What has to be put into a text: nothing at all, or each of its names. */
export type SlotArguments<Key extends TextKey, Value> = [SlotName<Key>] extends [never]
  ? []
  : [values: Readonly<Record<SlotName<Key>, Value>>];
