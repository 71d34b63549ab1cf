import { isValidOption } from '@switchboard/domain/posts';
import type { PartDraft, PublishOption } from '@switchboard/domain/ports';

type OptionValue<Option extends PublishOption> = Option extends { readonly type: 'boolean' }
  ? boolean
  : Option extends { readonly type: 'string_list' }
    ? readonly string[]
    : Option extends { readonly choices: readonly { readonly value: infer Value extends string }[] }
      ? Value
      : string;

type DeclaredOptions<Options extends readonly PublishOption[]> = {
  readonly [Option in Options[number] as Option['name']]?: OptionValue<Option>;
};

/**
 * Reads the options of a draft by the manifest's list of them, which is the only one: none if a value
 * violates it, which the validation of the draft reports.
 */
export const optionReader =
  <const Options extends readonly PublishOption[]>(declared: Options) =>
  ({ options }: Pick<PartDraft, 'options'>): DeclaredOptions<Options> => {
    const given = declared.filter(({ name }) => options[name] !== undefined);
    const isValid = given.every((option) => isValidOption(option, options[option.name]));
    const entries = isValid ? given.map(({ name }) => [name, options[name]]) : [];
    return Object.fromEntries(entries) as DeclaredOptions<Options>;
  };
