import { describe, expect, test } from '@jest/globals';
import { computeGains, type Reading } from './gains.js';
import { noMetrics, type Metrics } from './metrics.js';

const at = (text: string) => new Date(`2026-03-${text}Z`);
const reading = (time: string, metrics: Partial<Metrics>): Reading => ({
  takenAt: at(time),
  metrics: { ...noMetrics, ...metrics },
});
const march = { from: at('10T00:00:00'), to: at('20T00:00:00') };
const likes = (
  readings: readonly Reading[],
  { publishedAt = null, period = march }: { publishedAt?: Date | null; period?: typeof march } = {},
) => {
  const { gains, ...facts } = computeGains(readings, publishedAt, period);
  return { gains: gains.map(({ at, metrics }) => [at.getUTCDate(), metrics.likes]), ...facts };
};
const plain = { hasDecreased: false, lacksBaseline: false };

describe('what was gained', () => {
  test('is the difference of consecutive readings, at the time of the later one', () => {
    const readings = [reading('09T12:00:00', { likes: 5 }), reading('11T12:00:00', { likes: 8 })];
    expect(likes(readings)).toEqual({ gains: [[11, 3]], ...plain });
    expect(likes([...readings, reading('13T12:00:00', { likes: 8 })])).toEqual({
      gains: [
        [11, 3],
        [13, 0],
      ],
      ...plain,
    });
  });

  test('is unknown without an earlier reading', () => {
    expect(likes([reading('12T12:00:00', { likes: 50 })])).toEqual({
      gains: [],
      hasDecreased: false,
      lacksBaseline: true,
    });
    expect(likes([reading('09T12:00:00', { likes: 50 })])).toEqual({ gains: [], ...plain });
  });

  test('of a new post begins at 0', () => {
    const publishedAt = at('12T10:00:00');
    const readings = [reading('12T11:00:00', { likes: 2 }), reading('14T11:00:00', { likes: 9 })];
    expect(likes(readings, { publishedAt })).toEqual({
      gains: [
        [12, 2],
        [14, 7],
      ],
      ...plain,
    });
  });

  test('of each metric compares the readings that contain it', () => {
    const { gains } = computeGains(
      [
        reading('09T12:00:00', { likes: 1, views: 10 }),
        reading('11T12:00:00', { likes: 2 }),
        reading('12T12:00:00', { likes: 3, views: 25 }),
      ],
      null,
      march,
    );
    expect(gains.map(({ metrics }) => [metrics.likes, metrics.views, metrics.clicks])).toEqual([
      [1, null, null],
      [1, 15, null],
    ]);
  });

  test('is negative where a counter decreased', () => {
    expect(likes([reading('09T12:00:00', { likes: 5 }), reading('11T12:00:00', { likes: 3 })])).toEqual({
      gains: [[11, -2]],
      hasDecreased: true,
      lacksBaseline: false,
    });
  });

  test('ignores a reset of all counters, and its end', () => {
    const readings = [
      reading('09T12:00:00', { likes: 40, views: 100 }),
      reading('11T12:00:00', { likes: 0, views: 0 }),
      reading('12T12:00:00', { likes: 0, views: 0 }),
      reading('13T12:00:00', { likes: 42, views: 100 }),
    ];
    expect(likes(readings)).toEqual({ gains: [[13, 2]], ...plain });
    expect(likes([reading('09T12:00:00', { likes: 1 }), reading('11T12:00:00', { likes: 0 })]).gains).toEqual(
      [[11, -1]],
    );
  });

  test('does not take zeros before the first count for a baseline where they may be a reset', () => {
    const hidden = [
      reading('01T12:00:00', { likes: 29 }),
      reading('09T12:00:00', { likes: 0 }),
      reading('11T12:00:00', { likes: 34 }),
    ];
    const period = { from: at('10T00:00:00'), to: at('12T00:00:00') };
    expect(likes(hidden, { period })).toEqual({ gains: [], hasDecreased: false, lacksBaseline: true });
    const few = [reading('09T12:00:00', { likes: 0 }), reading('11T12:00:00', { likes: 9 })];
    expect(likes(few, { period })).toEqual({ gains: [[11, 9]], ...plain });
    expect(likes(hidden, { period, publishedAt: at('09T11:00:00') })).toEqual({
      gains: [[11, 34]],
      ...plain,
    });
  });

  test('during a long time without readings belongs to no range that begins within it', () => {
    const long = [reading('01T12:00:00', { likes: 5 }), reading('12T12:00:00', { likes: 900 })];
    const reconnected = [...long, reading('13T12:00:00', { likes: 901 })];
    expect(likes(reconnected)).toEqual({ gains: [[13, 1]], hasDecreased: false, lacksBaseline: true });
    const whole = { from: at('01T00:00:00'), to: at('20T00:00:00') };
    expect(likes(reconnected, { period: whole }).gains).toEqual([
      [12, 895],
      [13, 1],
    ]);
    expect(likes([reading('12T12:00:00', { likes: 9 })], { publishedAt: at('01T00:00:00') }).gains).toEqual(
      [],
    );
  });
});
