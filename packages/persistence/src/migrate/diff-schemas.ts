/** The SQL that transforms one Prisma schema into another; from an empty database when `from` is null. */
export async function diffSchemas(url: string, from: string | null, to: string): Promise<string> {
  const { withEngine } = await import('../engine.js');
  return withEngine(url, to, async (engine) => {
    const { stdout } = await engine.diff({
      from: from === null ? { tag: 'empty' } : createDatamodel(from),
      to: createDatamodel(to),
      script: true,
      exitCode: null,
      filters: { externalTables: [], externalEnums: [] },
    });
    return stdout ?? '';
  });
}

const createDatamodel = (content: string) => ({
  tag: 'schemaDatamodel',
  files: [{ path: 'schema.prisma', content }],
});
