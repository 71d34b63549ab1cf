import type { en } from './en.js';

export type TextKey = keyof typeof en;

/** Every text in one language: `tsc` rejects a missing and an unknown key. */
export type Texts = Readonly<Record<TextKey, string>>;

type SlotsIn<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? Slot | SlotsIn<Rest>
  : never;

type SlotName<Key extends TextKey> = SlotsIn<(typeof en)[Key]>;

/** The texts without placeholders. */
export type PlainTextKey = {
  [Key in TextKey]: [SlotName<Key>] extends [never] ? Key : never;
}[TextKey];

/** The arguments for a text: none, or a value for each of its placeholders. */
export type SlotArguments<Key extends TextKey, Value> = [SlotName<Key>] extends [never]
  ? []
  : [values: Readonly<Record<SlotName<Key>, Value>>];
