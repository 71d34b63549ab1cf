/** An optional yes or no. */
export const flagOption = <const Name extends string>(name: Name, label: string) =>
  ({ name, label, type: 'boolean', required: false }) as const;

/** An optional text of at most this length. */
export const textOption = <const Name extends string>(name: Name, label: string, max?: number) =>
  ({ name, label, type: 'string', required: false, ...(max !== undefined && { max }) }) as const;

export const choiceOption = <const Name extends string, const Value extends string>(
  name: Name,
  label: string,
  labels: Readonly<Record<Value, string>>,
) => {
  const values = Object.keys(labels) as Value[];
  const choices = values.map((value) => ({ value, label: labels[value] }));
  return { name, label, type: 'choice', required: false, choices } as const;
};
