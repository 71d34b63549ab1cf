import type { DescribedOperation } from './describe-operation.js';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
}

/**
 * Replaces each parameter that several operations have in the same form by a reference, and returns the parameters
 * by name: `Limit`, `ProfileId`, and `PostIdInPath` for the `id` of `/social/posts/{id}`.
 */
export function shareParameters(
  paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>,
): Record<string, object> {
  const occurrences = Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).flatMap(({ parameters }) =>
      parameters.flatMap((parameter, index) => ('$ref' in parameter ? [] : [{ path, parameters, index }])),
    ),
  );
  const textOf = ({ parameters, index }: (typeof occurrences)[number]) => JSON.stringify(parameters[index]);
  const shared: Record<string, object> = {};
  for (const [, same] of Map.groupBy(occurrences, textOf)) {
    const [first] = same;
    if (!first || same.length === 1) continue;
    const parameter = first.parameters[first.index] as Parameter;
    const name = nameOf(parameter, first.path);
    if (name in shared) continue;
    shared[name] = parameter;
    for (const { parameters, index } of same) parameters[index] = { $ref: `#/components/parameters/${name}` };
  }
  return shared;
}

function nameOf({ name, in: place }: Parameter, path: string): string {
  const [, collection = ''] = new RegExp(`/(\\w+)/{${name}}`).exec(path) ?? [];
  const full = name === 'id' ? `${collection.replace(/s$/, '')}_id` : name;
  const pascal = full.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return place === 'path' ? `${pascal}InPath` : pascal;
}
