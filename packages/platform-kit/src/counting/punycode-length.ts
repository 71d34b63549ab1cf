const BASE = 36;
const [T_MIN, T_MAX] = [1, 26];

/**
 * The number of characters of a host label in Punycode, without `xn--` (RFC 3492). For labels, not for texts:
 * the algorithm is quadratic.
 */
export function punycodeLength(label: string): number {
  const points = Array.from(label, (character) => character.codePointAt(0) ?? 0);
  const basic = points.filter((point) => point < 128).length;
  let length = basic + (basic > 0 ? 1 : 0);
  let [next, delta, bias] = [128, 0, 72];
  for (let handled = basic; handled < points.length; delta++, next++) {
    const smallest = Math.min(...points.filter((point) => point >= next));
    delta += (smallest - next) * (handled + 1);
    next = smallest;
    for (const point of points) {
      if (point < next) delta++;
      if (point !== next) continue;
      length += digits(delta, bias);
      bias = adapted(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
  }
  return length;
}

function digits(delta: number, bias: number): number {
  let count = 1;
  for (let [rest, k] = [delta, BASE]; ; k += BASE, count++) {
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
    if (rest < threshold) return count;
    rest = Math.floor((rest - threshold) / (BASE - threshold));
  }
}

function adapted(delta: number, points: number, first: boolean): number {
  let rest = Math.floor(delta / (first ? 700 : 2));
  rest += Math.floor(rest / points);
  let bias = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; bias += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return bias + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38));
}
