import { expect, test } from '@jest/globals';
import type { AccountOptions, PublishOption, Publishing } from '@switchboard/domain/ports';
import { discardReceipt } from './calls.js';
import type { ContractContext } from './contract-context.js';

/** The options that an account reports have the shape of the manifest and are accepted. */
export function optionsContract(
  { platform, world, open, value, code, post }: ContractContext,
  publishing: Publishing,
): void {
  const fetchOptions = async (): Promise<AccountOptions> => {
    const result = await publishing.options?.(open());
    return result ? value(result) : {};
  };
  /** Options whose choices only the account knows. */
  const isAccountOption = ({ name }: PublishOption) =>
    !platform.manifest.options.find((fact) => fact.name === name)?.choices;

  test('an account’s options are those of the manifest, with distinct choices', async () => {
    const known = new Map(platform.manifest.options.map((option) => [option.name, option]));
    for (const option of (await fetchOptions()).options ?? []) {
      expect([option.name, option.type]).toEqual([option.name, known.get(option.name)?.type]);
      const values = option.choices?.map((choice) => choice.value) ?? [];
      expect(values.every((one) => one !== '')).toBe(true);
      expect(new Set(values).size).toBe(values.length);
    }
  });

  test('every choice of the account is accepted, and any other is refused by the platform', async () => {
    for (const { name, choices = [] } of ((await fetchOptions()).options ?? []).filter(isAccountOption)) {
      for (const { value: choice } of choices) {
        const item = post('A choice', { options: { [name]: choice } });
        expect(code(await publishing.publish(open(), item, discardReceipt))).toBe('ok');
      }
      const effects = world().effects();
      const unoffered = post('A choice that is not offered', { options: { [name]: 'not-offered' } });
      expect(code(await publishing.publish(open(), unoffered, discardReceipt))).toBe('platform.refused');
      expect(world().effects()).toBe(effects);
    }
  });
}
