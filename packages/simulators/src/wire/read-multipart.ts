/** A file of a form, as it came. */
export interface FormFile {
  readonly fileName: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A `multipart/form-data` body, by the parser of Node.js: what a client of ours writes is judged by somebody else. */
export const readMultipart = async (body: Uint8Array<ArrayBuffer>, contentType: string) =>
  fieldsOfForm(await new Response(body, { headers: { 'content-type': contentType } }).formData());

/** Its fields, and its files with their bytes at hand. */
export async function fieldsOfForm(form: FormData): Promise<Readonly<Record<string, string | FormFile>>> {
  const fields: Record<string, string | FormFile> = {};
  for (const [name, value] of form) {
    fields[name] =
      typeof value === 'string'
        ? value
        : { fileName: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) };
  }
  return fields;
}
