import { fieldsOf, textOf, textsOf } from '../wire/exchange.js';
import type { FormFile } from '../wire/read-multipart.js';
import { attachmentOf, type DiscordAttachment, type DiscordEmbed } from './message-store.js';
import { invalid, discordError } from './errors.js';

const CONTENT_MAX = 2_000;
const DESCRIPTION_MAX = 1_024;
const EMBEDS_MAX = 10;
const TITLE_MAX = 256;
const SUPPRESS_EMBEDS = 1 << 2;
const FILES_MAX = 10;
const FILE_BYTES_MAX = 10 * 1024 * 1024;
const NONCE_MAX = 25;

/** The JSON body, alone or as `payload_json` next to files. */
export function readMessage(body: unknown) {
  const form = fieldsOf(body);
  const fields = typeof form['payload_json'] === 'string' ? fieldsOf(JSON.parse(form['payload_json'])) : form;
  const content = textOf(fields['content']).trim();
  if ([...content].length > CONTENT_MAX) {
    return invalid('content', 'BASE_TYPE_MAX_LENGTH', `Must be ${CONTENT_MAX} or fewer in length.`);
  }
  const files = Object.entries(form).filter(([name]) => /^files\[\d+\]$/.test(name));
  if (files.length > FILES_MAX)
    return invalid('attachments', 'BASE_TYPE_MAX_LENGTH', 'Must be 10 or fewer in length.');
  const described = Array.isArray(fields['attachments']) ? fields['attachments'].map(fieldsOf) : [];
  const attachments: DiscordAttachment[] = [];
  for (const [name, file] of files) {
    const id = name.slice('files['.length, -1);
    const about = described.find((one) => String(one['id']) === id);
    const description = textOf(about?.['description']) || null;
    if ((description ?? '').length > DESCRIPTION_MAX) {
      return invalid('attachments', 'BASE_TYPE_MAX_LENGTH', `Must be ${DESCRIPTION_MAX} or fewer in length.`);
    }
    const attachment = attachmentOf(file as FormFile, description);
    if (attachment.bytes > FILE_BYTES_MAX) return discordError(413, 40_005, 'Request entity too large');
    attachments.push(attachment);
  }
  const flags = typeof fields['flags'] === 'number' ? fields['flags'] : 0;
  const embeds = embedsOf(fields['embeds']);
  if (embeds.length > EMBEDS_MAX || embeds.some(({ title }) => [...title].length > TITLE_MAX)) {
    return invalid('embeds', 'BASE_TYPE_MAX_LENGTH', `Must be ${TITLE_MAX} or fewer in length.`);
  }
  if (content === '' && attachments.length === 0 && embeds.length === 0)
    return discordError(400, 50_006, 'Cannot send an empty message');
  const nonce = fields['nonce'] === undefined ? null : textOf(fields['nonce']);
  if ((nonce ?? '').length > NONCE_MAX) {
    return invalid('nonce', 'NONCE_TYPE_TOO_LONG', `Must be ${NONCE_MAX} or fewer in length.`);
  }
  return {
    content,
    attachments,
    nonce,
    enforcesNonce: fields['enforce_nonce'] === true,
    flags,
    embeds: (flags & SUPPRESS_EMBEDS) === 0 ? embeds : [],
    calls: callsOf(fields['allowed_mentions']),
    replyTo: textOf(fieldsOf(fields['message_reference'])['message_id']) || null,
  };
}

const embedsOf = (embeds: unknown): readonly DiscordEmbed[] =>
  (Array.isArray(embeds) ? embeds : [])
    .map(fieldsOf)
    .map(({ title, url }) => ({ title: textOf(title).trim(), url: textOf(url) || null }));

/** Without allowed mentions, a message notifies everyone it mentions. */
const callsOf = (allowed: unknown): readonly string[] =>
  allowed === undefined ? ['users', 'roles', 'everyone'] : textsOf(fieldsOf(allowed)['parse']);
