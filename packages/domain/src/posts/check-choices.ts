import type { Problem } from '../failure.js';
import type { PartDraft, Manifest, OptionChoice, PublishOption } from '../ports/index.js';
import type { PlannedTarget } from './plan-post.js';

/** Enough to recognize the intended value; the account’s publishing options contain the rest. */
const CANDIDATES_MAX = 10;

/** The options of a draft whose choices only the account defines, where one was set. */
export const accountChoicesOf = (
  { options }: Pick<Manifest, 'options'>,
  given: PartDraft['options'],
): readonly PublishOption[] =>
  options.filter(({ name, type, choices }) => type === 'choice' && !choices && textOf(given, name) !== '');

/** Validates the choices of a target against those of its account; null: the account could not be queried. */
export function checkChoices(
  target: PlannedTarget,
  optionsToCheck: readonly PublishOption[],
  accountOptions: readonly PublishOption[] | null,
  basePath: string,
): PlannedTarget {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  for (const { name, label } of optionsToCheck) {
    const path = `${basePath}.options.${name}`;
    const chosen = textOf(target.options, name);
    if (!accountOptions) {
      const message = `${label}: the account’s choices could not be read. The value is validated when the post is published.`;
      warnings.push({ path, code: 'option.unchecked', message });
      continue;
    }
    const { choices, more = false } = accountOptions.find((option) => option.name === name) ?? {};
    if (!choices || choices.some(({ value }) => value === chosen)) continue;
    const candidates = rankCandidates(chosen, choices);
    // If the list is incomplete, an unlisted value may be valid.
    if (!more)
      problems.push({
        path,
        code: 'option.invalid',
        message: describeMissingChoice(label, choices),
        candidates,
      });
    else if (!choices.some((choice) => matchesText(choice, chosen)))
      warnings.push({ path, code: 'option.unlisted', message: describeUnlistedChoice(label), candidates });
  }
  // Replaces the problems that the rules reported for the same path, because the rules do not know the
  // choices.
  const others = target.problems.filter(
    ({ path, code }) => !problems.some((one) => one.path === path && one.code === code),
  );
  return {
    ...target,
    problems: [...others, ...problems],
    warnings: [...target.warnings, ...warnings],
  };
}

const textOf = (given: PartDraft['options'], name: string): string => {
  const value = given[name];
  return typeof value === 'string' ? value : '';
};

const matchesText = ({ value, label }: OptionChoice, query: string): boolean => {
  const normalized = query.toLowerCase();
  return value.toLowerCase() === normalized || label.toLowerCase().includes(normalized);
};

/** Sorts the best matches of the given text first. */
const rankCandidates = (query: string, choices: readonly OptionChoice[]): readonly OptionChoice[] =>
  [
    ...choices.filter((choice) => matchesText(choice, query)),
    ...choices.filter((choice) => !matchesText(choice, query)),
  ].slice(0, CANDIDATES_MAX);

const describeMissingChoice = (label: string, { length }: readonly OptionChoice[]): string =>
  length === 0
    ? `${label}: the account has no choices.`
    : `${label} must be one of the account’s ${length} values; ${length > CANDIDATES_MAX ? 'candidates lists some of them, its publishing options all' : 'candidates lists them'}.`;

const describeUnlistedChoice = (label: string): string =>
  `${label}: not in the incomplete list of the account’s choices. The value is validated when the post is published.`;
