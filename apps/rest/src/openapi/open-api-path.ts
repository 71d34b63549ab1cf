/** `/posts/:id` in OpenAPI notation: `/posts/{id}`. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

export const pathParameters = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
