/** Names are ours. One that could lead anywhere else is a bug, whoever made it. */
export function assertFileName(name: string): string {
  if (!/^[A-Za-z0-9_-]{16,128}$/.test(name)) throw new Error('this is no name of a stored file');
  return name;
}
