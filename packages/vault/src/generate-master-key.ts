import { randomBytes } from 'node:crypto';
import { Secret } from '@switchboard/domain';

/** A new master key as `id:base64`, ready for `SWITCHBOARD_MASTER_KEYS`. */
export const generateMasterKey = (): Secret =>
  new Secret(`key-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`);
