import type { Connection } from '../connections/connection.js';
import type { Problem } from '../failure.js';
import type { Draft, Manifest, PublishOption, ReadPorts } from '../ports/index.js';
import type { DraftPost } from './draft-post.js';
import type { Targets } from './find-targets.js';

/** One target as it would go out, with everything that is wrong with it. Paths are those of the caller's own body. */
export interface CheckedTarget {
  readonly connection: Connection;
  readonly draft: Draft;
  readonly finalText: string;
  readonly text: { readonly used: number; readonly max: number; readonly unit: string } | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/** Checks everything that can be known before sending, for all targets at once. Pure: nothing is asked of a platform. */
export function checkTargets(
  ports: Pick<ReadPorts, 'manifests'>,
  post: DraftPost,
  { targets }: Targets,
  scheduled: readonly boolean[],
): readonly CheckedTarget[] {
  return targets.map(({ connection, target }, index) => {
    const isScheduled = scheduled[index] ?? false;
    const manifest = ports.manifests.find(connection.platform);
    const rules = ports.manifests.rules(connection.platform);
    const draft: Draft = {
      text: target.text ?? post.text,
      link: target.link === undefined ? (post.link ?? null) : target.link,
      options: target.options ?? {},
    };
    const place = Array.isArray(post.targets) ? `targets.${index}` : 'targets';
    const own = (field: 'text' | 'link') => (target[field] === undefined ? field : `${place}.${field}`);
    if (!manifest || !rules) {
      const message = `${connection.platform} cannot be posted to.`;
      const problems = [{ path: place, code: 'platform.unsupported', message }];
      return { connection, draft, finalText: draft.text, text: null, problems, warnings: [] };
    }

    const finalText = rules.finalText(draft);
    const limits = connection.account.textLimits;
    const used = rules.count(finalText, limits);
    const text = manifest.text && { used, max: limits?.max ?? manifest.text.max, unit: manifest.text.unit };
    const problems: Problem[] = [];
    if (text && used > text.max) {
      const message = `${manifest.name} takes ${text.max} ${text.unit}, this has ${used}.`;
      problems.push({ path: own('text'), code: 'text.too_long', message });
    }
    if (manifest.text?.required && draft.text.trim() === '' && draft.link === null) {
      problems.push({ path: own('text'), code: 'text.required', message: `${manifest.name} needs a text.` });
    }
    problems.push(...checkOptions(manifest, draft.options, place));
    for (const problem of rules.check?.(draft, limits) ?? []) {
      const isShared = problem.path === 'text' || problem.path === 'link';
      const path = isShared ? own(problem.path) : place === 'targets' ? place : `${place}.${problem.path}`;
      problems.push({ ...problem, path });
    }

    const dead: Problem[] =
      connection.status === 'needs_reauth'
        ? [
            {
              path: place,
              code: 'connection.needs_reauth',
              message: `The ${manifest.name} account must be connected again${isScheduled ? ' before the post is due' : ''}.`,
            },
          ]
        : [];
    return {
      connection,
      draft,
      finalText,
      text,
      problems: isScheduled ? problems : [...problems, ...dead],
      warnings: isScheduled ? dead : [],
    };
  });
}

function checkOptions(manifest: Manifest, options: Draft['options'], place: string): Problem[] {
  // A target that nobody listed has no options in the caller's body.
  const pathOf = (name: string) => (place === 'targets' ? place : `${place}.options.${name}`);
  const known = new Map(manifest.options.map((option) => [option.name, option]));
  const unknown = Object.keys(options).filter((name) => !known.has(name));
  const missing = manifest.options.filter(({ name, required }) => required && options[name] === undefined);
  const wrong = manifest.options.filter(
    (option) => options[option.name] !== undefined && !fits(option, options[option.name]),
  );
  return [
    ...unknown.map((name) => ({
      path: pathOf(name),
      code: 'option.unknown',
      message: `${manifest.name} has no such option. It has: ${[...known.keys()].join(', ') || 'none'}.`,
    })),
    ...missing.map(({ name, label }) => ({
      path: pathOf(name),
      code: 'option.required',
      message: `${label} is needed.`,
    })),
    ...wrong.map((option) => ({
      path: pathOf(option.name),
      code: 'option.invalid',
      message: `${option.label} must be ${wanted(option)}.`,
    })),
  ];
}

function fits({ type, choices, max }: PublishOption, value: unknown): boolean {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string' && value.length <= (max ?? 10_000);
    case 'choice':
      return choices?.some((choice) => choice.value === value) ?? false;
    case 'string_list':
      return (
        Array.isArray(value) &&
        value.length <= (max ?? 100) &&
        value.every((item) => typeof item === 'string')
      );
  }
}

const wanted = ({ type, choices, max }: PublishOption): string => {
  switch (type) {
    case 'boolean':
      return 'true or false';
    case 'string':
      return 'a text';
    case 'choice':
      return `one of ${choices?.map(({ value }) => value).join(', ') ?? ''}`;
    case 'string_list':
      return `a list of${max === undefined ? '' : ` at most ${max}`} texts`;
  }
};
