const DEFAULT = '#3b4cca';

export interface Accent {
  readonly colour: string;
  /** Black or white, whichever can be read on it. */
  readonly ink: string;
}

/** The workspace's colour where it is one, with the ink that has the better contrast on it (WCAG 2 luminance). */
export function accentOf(colour: string | null): Accent {
  const chosen = colour !== null && /^#[0-9a-f]{6}$/i.test(colour) ? colour.toLowerCase() : DEFAULT;
  const [red, green, blue] = [1, 3, 5].map((at) => linear(parseInt(chosen.slice(at, at + 2), 16) / 255));
  const luminance = 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
  const onWhite = 1.05 / (luminance + 0.05);
  const onBlack = (luminance + 0.05) / 0.05;
  return { colour: chosen, ink: onWhite >= onBlack ? '#ffffff' : '#000000' };
}

const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
