/** A file of a form, unmodified. */
export interface FormFile {
  readonly fileName: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * A `multipart/form-data` body, parsed by Node.js: an implementation independent of our client validates what
 * it sends.
 */
export const readMultipart = async (body: Uint8Array<ArrayBuffer>, contentType: string) =>
  fieldsOfForm(await new Response(body, { headers: { 'content-type': contentType } }).formData());

/** Its fields, and its files with their bytes loaded. */
async function fieldsOfForm(form: FormData): Promise<Readonly<Record<string, string | FormFile>>> {
  const fields: Record<string, string | FormFile> = {};
  for (const [name, value] of form) {
    fields[name] =
      typeof value === 'string'
        ? value
        : { fileName: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) };
  }
  return fields;
}
