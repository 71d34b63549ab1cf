const DEFAULT = '#3b4cca';
/** The backgrounds against which a control needs contrast (WCAG 2.2, 1.4.11). */
const BACKGROUNDS = { light: '#ffffff', dark: '#181b27' } as const;
const MIN_CONTRAST = 3;

export interface Accent {
  readonly color: string;
  /** Black or white, whichever is readable on the color. */
  readonly textColor: string;
}

/**
 * The accent color of the workspace, if valid: unchanged when its contrast is sufficient, else shifted away
 * from the background until it is.
 */
export function accentOf(color: string | null): Readonly<Record<keyof typeof BACKGROUNDS, Accent>> {
  const chosen = color !== null && /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : DEFAULT;
  return { light: ensureContrast(chosen, BACKGROUNDS.light), dark: ensureContrast(chosen, BACKGROUNDS.dark) };
}

function ensureContrast(chosen: string, background: string): Accent {
  const targetChannel = contrast('#000000', background) > contrast('#ffffff', background) ? 0 : 255;
  let color = chosen;
  for (let step = 1; contrast(color, background) < MIN_CONTRAST && step <= 20; step++) {
    color = `#${rgbChannels(chosen)
      .map((channel) => Math.round(channel + ((targetChannel - channel) * step) / 20))
      .map((channel) => channel.toString(16).padStart(2, '0'))
      .join('')}`;
  }
  return {
    color,
    textColor: contrast('#ffffff', color) >= contrast('#000000', color) ? '#ffffff' : '#000000',
  };
}

/** The contrast ratio of WCAG 2 luminances. */
export function contrast(one: string, other: string): number {
  const [brighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (brighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = rgbChannels(color).map((channel) => linearize(channel / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const rgbChannels = (color: string) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
const linearize = (channel: number) =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
