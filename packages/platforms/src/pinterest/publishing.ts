import { ok } from '@switchboard/domain';
import type { PublishedPart, Publishing, PublishItem } from '@switchboard/domain/ports';
import { uploadTimeoutSeconds } from '../kit/upload-timeout-seconds.js';
import { boardOptions } from './boards.js';
import { findPin } from './find-pin.js';
import { pinWithMedia } from './media.js';
import { boardOf, rules } from './rules.js';
import { anything, requestJson, created } from './wire.js';

export const publishing: Publishing = {
  ...rules,

  async publish(session, item, saveReceipt) {
    const body = await pinWithMedia(session, item, fieldsOf(item), saveReceipt);
    if (!body.ok) return body;
    const pinned = await requestJson(
      session,
      {
        method: 'POST',
        path: '/v5/pins',
        effect: 'write',
        // Images are part of the request, whose timeout depends on their size.
        body: body.value,
        deadlineSeconds: uploadTimeoutSeconds(body.value.length),
      },
      created,
    );
    return pinned.ok ? ok(partOf(pinned.value.id)) : pinned;
  },

  async find(session, item) {
    const found = await findPin(session, item);
    return found.ok ? ok(found.value && partOf(found.value.id)) : found;
  },

  async remove(session, { externalId }) {
    const path = `/v5/pins/${encodeURIComponent(externalId)}`;
    const removed = await requestJson(
      session,
      { method: 'DELETE', path, effect: 'idempotent' },
      anything,
      (_words, { status }) => (status === 404 ? ok() : undefined),
    );
    return removed.ok ? ok() : removed;
  },

  async options(session) {
    const options = await boardOptions(session);
    return options.ok ? ok({ options: options.value }) : options;
  },
};

function fieldsOf(item: PublishItem) {
  const { board, section } = boardOf(item);
  const description = rules.finalText(item);
  return {
    board_id: board,
    ...(section !== undefined && { board_section_id: section }),
    ...(item.title && { title: item.title }),
    ...(description !== '' && { description }),
    ...(item.link !== null && { link: item.link }),
  };
}

const partOf = (id: string): PublishedPart => ({
  externalId: id,
  url: `https://www.pinterest.com/pin/${id}/`,
  receipt: {},
});
