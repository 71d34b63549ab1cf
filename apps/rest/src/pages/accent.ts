const DEFAULT = '#3b4cca';
/** What a control has to stand out from (WCAG 2.2, 1.4.11). */
const GROUNDS = { light: '#ffffff', dark: '#181b27' } as const;
const STANDS_OUT = 3;

export interface Accent {
  readonly colour: string;
  /** Black or white, whichever can be read on it. */
  readonly ink: string;
}

/** The workspace's colour where it is one: as it is where it stands out, else drawn away from the ground until it does. */
export function accentOf(colour: string | null): Readonly<Record<keyof typeof GROUNDS, Accent>> {
  const chosen = colour !== null && /^#[0-9a-f]{6}$/i.test(colour) ? colour.toLowerCase() : DEFAULT;
  return { light: standingOut(chosen, GROUNDS.light), dark: standingOut(chosen, GROUNDS.dark) };
}

function standingOut(chosen: string, ground: string): Accent {
  const away = contrast('#000000', ground) > contrast('#ffffff', ground) ? 0 : 255;
  let colour = chosen;
  for (let step = 1; contrast(colour, ground) < STANDS_OUT && step <= 20; step++) {
    colour = `#${parts(chosen)
      .map((part) => Math.round(part + ((away - part) * step) / 20))
      .map((part) => part.toString(16).padStart(2, '0'))
      .join('')}`;
  }
  return { colour, ink: contrast('#ffffff', colour) >= contrast('#000000', colour) ? '#ffffff' : '#000000' };
}

/** By the luminances of WCAG 2. */
export function contrast(one: string, other: string): number {
  const [brighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (brighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = parts(colour).map((part) => linear(part / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const parts = (colour: string) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
