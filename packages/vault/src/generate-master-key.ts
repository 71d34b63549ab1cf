import { randomBytes } from 'node:crypto';
import { Secret } from '@switchboard/domain';

/** Generates a master key as `id:base64`, the format of `SWITCHBOARD_MASTER_KEYS`. */
export const generateMasterKey = (): Secret =>
  new Secret(`key-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`);
