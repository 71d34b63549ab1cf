import { noMetrics, type Metrics } from '@switchboard/platform-kit';
import type { CountedPin } from './wire.js';

/** Since the pin was created: values of the last ninety days would decrease over time. */
export function metricsOf({ pin_metrics: reported }: CountedPin): Metrics {
  const { impression, reaction, comment, save, outbound_click, clickthrough } =
    reported?.lifetime_metrics ?? {};
  return {
    ...noMetrics,
    impressions: impression ?? null,
    likes: reaction ?? null,
    comments: comment ?? null,
    saves: save ?? null,
    clicks: outbound_click ?? clickthrough ?? null,
  };
}
