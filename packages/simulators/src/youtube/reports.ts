import { okResponse, type WireResponse } from '../wire/exchange.js';
import { googleError } from './errors.js';
import type { YouTubeChannel } from './network.js';
import type { VideoStore } from './video-store.js';

/** The same values for every video: the simulator has no viewers. */
const NUMBERS: Readonly<Record<string, number>> = {
  views: 318,
  likes: 12,
  comments: 2,
  shares: 7,
};
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const ROWS_MAX = 200;

/** The report of a channel's videos according to developers.google.com/youtube/analytics/channel_reports. */
export function queryReport(
  query: URLSearchParams,
  channel: YouTubeChannel,
  videos: VideoStore,
): WireResponse {
  const ask = (name: string) => query.get(name) ?? '';
  const names = ask('metrics').split(',');
  const rows = Number(query.get('maxResults'));
  const [, ids = ''] = /^video==([\w,-]+)$/.exec(ask('filters')) ?? [];
  const requested =
    ['channel==MINE', `channel==${channel.id}`].includes(ask('ids')) &&
    ask('dimensions') === 'video' &&
    names.every((name) => name in NUMBERS) &&
    names.includes(ask('sort').replace(/^-/, '')) &&
    rows > 0 &&
    rows <= ROWS_MAX;
  if (!DATE.test(ask('startDate')) || !DATE.test(ask('endDate')) || ids === '') {
    return googleError(400, 'badRequest', 'The parameters are not valid.', 'global');
  }
  if (!requested) return googleError(400, 'badRequest', 'The query is not supported.', 'global');
  const found = ids.split(',').filter((id) => videos.find(id) !== null);
  return okResponse({
    kind: 'youtubeAnalytics#resultTable',
    columnHeaders: [
      { name: 'video', columnType: 'DIMENSION', dataType: 'STRING' },
      ...names.map((name) => ({ name, columnType: 'METRIC', dataType: 'INTEGER' })),
    ],
    ...(found.length > 0 && {
      rows: found.slice(0, rows).map((id) => [id, ...names.map((name) => NUMBERS[name])]),
    }),
  });
}
