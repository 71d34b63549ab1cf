/** This service generates the names. A name that could leave the folder is a bug. */
export function assertFileName(name: string): string {
  if (!/^[A-Za-z0-9_-]{16,128}$/.test(name)) throw new Error('invalid stored file name');
  return name;
}
