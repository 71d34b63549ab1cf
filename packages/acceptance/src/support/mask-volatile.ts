/**
 * Replaces the differences between two responses to the same request: IDs and times created for the response.
 */
export function maskVolatile(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskVolatile);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        ['external_id', 'url'].includes(name) && inner !== null ? '<theirs>' : maskVolatile(inner),
      ]),
    );
  }
  if (typeof value !== 'string') return value;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z?$/.test(value)) return '<time>';
  return value.replace(/\b(pst|dlv|prf|cns|quo|rfd|req|con|med)_[0-9a-z]{26}\b/g, '$1_…');
}

const PER_CALL_FIELDS = ['request_id', 'now', 'as_of'];

/** Also removes what belongs to the call and not to the response. */
export function omitCallFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !PER_CALL_FIELDS.includes(name)));
}
