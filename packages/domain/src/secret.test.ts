import { Console } from 'node:console';
import { PassThrough } from 'node:stream';
import { format, inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { Secret } from './secret.js';

const TEXT = 'canary-4711';
const secret = new Secret(TEXT);

test('reveals its text', () => {
  expect(secret.reveal()).toBe(TEXT);
});

test('does not leak when printed, inspected, serialized, copied or traversed', () => {
  const out = new PassThrough();
  const console = new Console(out, out);
  console.log(secret, { secret }, [secret], `${String(secret)}`);
  console.dir({ deep: { secret } }, { depth: null, showHidden: true });
  console.table([{ secret }]);
  const printed = [
    String(secret),
    String(out.read()),
    '' + (secret as unknown as string),
    format('%s %o %O %j %d', secret, secret, secret, secret, secret),
    inspect(secret, { showHidden: true, depth: null, getters: true, customInspect: false }),
    inspect({ a: [new Map([[secret, secret]])] }, { showHidden: true, depth: null }),
    JSON.stringify({ secret, list: [secret] }),
    inspect(structuredClone({ ...secret }), { showHidden: true }),
    inspect(Object.assign({}, secret)),
    Object.entries(secret).join(),
    Reflect.ownKeys(secret).map(String).join(),
    new Error(`failed with ${String(secret)}`).stack,
    inspect(new Error('failed', { cause: secret }), { depth: null }),
  ].join('\n');
  expect(printed).toContain('[secret]');
  expect(printed).not.toContain(TEXT);
});

test('cannot be read through its extracted methods', () => {
  const { toString, toJSON } = secret;
  expect(toString()).toBe('[secret]');
  expect(toJSON()).toBe('[secret]');
  expect(() => Secret.prototype.reveal.call({} as Secret)).toThrow(TypeError);
});
