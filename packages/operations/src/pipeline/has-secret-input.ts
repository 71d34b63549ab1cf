import { z } from 'zod';

const found = new WeakMap<z.core.$ZodType, boolean>();

/** Whether an input has a secret of the caller: a field that is marked as `writeOnly`. */
export function hasSecretInput(schema: z.core.$ZodType): boolean {
  let has = found.get(schema);
  if (has === undefined) found.set(schema, (has = findSecret(schema)));
  return has;
}

function findSecret(schema: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(schema)?.['writeOnly'] === true) return true;
  const { def } = schema._zod;
  switch (def.type) {
    case 'object':
      return Object.values((def as z.core.$ZodObjectDef).shape).some(hasSecretInput);
    case 'array':
      return hasSecretInput((def as z.core.$ZodArrayDef).element);
    case 'union':
      return (def as z.core.$ZodUnionDef).options.some(hasSecretInput);
    case 'pipe':
      return hasSecretInput((def as z.core.$ZodPipeDef).in);
    default:
      return 'innerType' in def && hasSecretInput(def.innerType as z.core.$ZodType);
  }
}
