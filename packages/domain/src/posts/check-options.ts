import type { Problem } from '../failure.js';
import type { PartDraft, Manifest, PublishOption } from '../ports/index.js';

export function checkOptions(manifest: Manifest, options: PartDraft['options'], basePath: string): Problem[] {
  // An implicit target has no options in the caller's request.
  const pathOf = (name: string) => (basePath === 'targets' ? basePath : `${basePath}.options.${name}`);
  const known = new Map(manifest.options.map((option) => [option.name, option]));
  const unknown = Object.keys(options).filter((name) => !known.has(name));
  const missing = manifest.options.filter(({ name, required }) => required && options[name] === undefined);
  const wrong = manifest.options.filter(
    (option) => options[option.name] !== undefined && !isValidOption(option, options[option.name]),
  );
  return [
    ...unknown.map((name): Problem => ({
      path: pathOf(name),
      code: 'option.unknown',
      message: `${manifest.name} has no such option. Its options: ${[...known.keys()].join(', ') || 'none'}.`,
    })),
    ...missing.map(({ name, label }): Problem => ({
      path: pathOf(name),
      code: 'option.required',
      message: `${label} is required.`,
    })),
    ...wrong.map((option): Problem => ({
      path: pathOf(option.name),
      code: 'option.invalid',
      message: `${option.label} must be ${describeExpected(option)}.`,
    })),
  ];
}

export function isValidOption({ type, choices, max }: PublishOption, value: unknown): boolean {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string' && value.length <= (max ?? 10_000);
    case 'choice':
      // Choices that only the account defines are validated by the platform.
      return choices
        ? choices.some((choice) => choice.value === value)
        : typeof value === 'string' && value !== '';
    case 'string_list':
      return (
        Array.isArray(value) &&
        value.length <= (max ?? 100) &&
        value.every((item) => typeof item === 'string')
      );
  }
}

const describeExpected = ({ type, choices, max }: PublishOption): string => {
  switch (type) {
    case 'boolean':
      return 'true or false';
    case 'string':
      return 'a text';
    case 'choice':
      return choices
        ? `one of ${choices.map(({ value }) => value).join(', ')}`
        : 'one of the account’s values: its publishing options list them';
    case 'string_list':
      return `a list of${max === undefined ? '' : ` at most ${max}`} texts`;
  }
};
