/** A box of ISO/IEC 14496-12, 4.2: positions refer to the buffer that it was read from. */
export interface Box {
  readonly type: string;
  readonly start: number;
  /** The start of its content. */
  readonly content: number;
  readonly end: number;
}

export const BOX_HEADER_MAX = 16;

/**
 * The header at `at` in `bytes`. `fileEnd` is the end of a box that extends to the end of the file. Null for
 * an invalid box.
 */
export function boxAt(bytes: Buffer, at: number, start: number, fileEnd: number): Box | null {
  if (bytes.length < at + 8) return null;
  const type = bytes.toString('latin1', at + 4, at + 8);
  const size = bytes.readUInt32BE(at);
  if (size === 1) {
    if (bytes.length < at + 16) return null;
    const large = Number(bytes.readBigUInt64BE(at + 8));
    return large < 16 ? null : { type, start, content: start + 16, end: start + large };
  }
  if (size === 0) return { type, start, content: start + 8, end: fileEnd };
  return size < 8 ? null : { type, start, content: start + 8, end: start + size };
}

/** The boxes inside `parent`, as far as they are complete. */
export function* boxesIn(bytes: Buffer, parent: Pick<Box, 'content' | 'end'>): Generator<Box> {
  for (let at = parent.content; at < parent.end;) {
    const box = boxAt(bytes, at, at, parent.end);
    if (!box || box.end > parent.end) return;
    yield box;
    at = box.end;
  }
}

/** The first box at `path` inside `parent`. */
export function boxIn(
  bytes: Buffer,
  parent: Pick<Box, 'content' | 'end'>,
  ...path: readonly string[]
): Box | undefined {
  const [type, ...rest] = path;
  for (const box of boxesIn(bytes, parent)) {
    if (box.type === type) return rest.length === 0 ? box : boxIn(bytes, box, ...rest);
  }
  return undefined;
}
