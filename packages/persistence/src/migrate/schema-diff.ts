/** The SQL that leads from one Prisma schema to another; from an empty database when `from` is null. */
export async function schemaDiff(url: string, from: string | null, to: string): Promise<string> {
  const { withEngine } = await import('../engine.js');
  return withEngine(url, to, async (engine) => {
    const { stdout } = await engine.diff({
      from: from === null ? { tag: 'empty' } : datamodel(from),
      to: datamodel(to),
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout ?? '';
  });
}

const datamodel = (content: string) => ({
  tag: 'schemaDatamodel',
  files: [{ path: 'schema.prisma', content }],
});
