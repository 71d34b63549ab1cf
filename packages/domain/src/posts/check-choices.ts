import type { Problem } from '../failure.js';
import type { PartDraft, Manifest, OptionChoice, PublishOption } from '../ports/index.js';
import type { PlannedTarget } from './plan-post.js';

/** So many are enough to see what was meant; the account’s publishing options have the rest. */
const CANDIDATES_MAX = 10;

/** The options of a draft of which only the account knows the choices, where one was made. */
export const accountChoicesOf = (
  { options }: Pick<Manifest, 'options'>,
  given: PartDraft['options'],
): readonly PublishOption[] =>
  options.filter(({ name, type, choices }) => type === 'choice' && !choices && textOf(given, name) !== '');

/** Holds the choices of a target against those that its account has; null: it could not say. */
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
      const message = `${label}: the account could not be asked whether it has this. It is judged when the post goes out.`;
      warnings.push({ path, code: 'option.unchecked', message });
      continue;
    }
    const { choices, more = false } = accountOptions.find((option) => option.name === name) ?? {};
    if (!choices || choices.some(({ value }) => value === chosen)) continue;
    const candidates = rankCandidates(chosen, choices);
    // Of a list that is not whole, what is written in other words may be one that is listed.
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
  // What the rules said of the same place did not know what could stand there.
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

/** Those first that go by what was written. */
const rankCandidates = (query: string, choices: readonly OptionChoice[]): readonly OptionChoice[] =>
  [
    ...choices.filter((choice) => matchesText(choice, query)),
    ...choices.filter((choice) => !matchesText(choice, query)),
  ].slice(0, CANDIDATES_MAX);

const describeMissingChoice = (label: string, { length }: readonly OptionChoice[]): string =>
  length === 0
    ? `${label}: the account has none to choose from.`
    : `${label} must be the value of one that the account has. It has ${length}: candidates names ${length > CANDIDATES_MAX ? 'some, its publishing options all' : 'them'}.`;

const describeUnlistedChoice = (label: string): string =>
  `${label}: not among those that the account tells of, which are not all. It is judged when the post goes out.`;
