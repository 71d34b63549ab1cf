import { createHash, randomBytes } from 'node:crypto';
import type { Tokens } from '@switchboard/domain/ports';

export const randomTokens = (): Tokens => ({
  random: () => randomBytes(32).toString('base64url'),
  digest: (text) => createHash('sha256').update(text, 'utf8').digest(),
  digestHex: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
});
