import { expect, test } from '@jest/globals';
import startConnect from './connect/start-connect.js';
import createMediaUpload from './media/create-media-upload.js';
import { setupDispatch } from './testing/setup-dispatch.js';

test.each([
  ['the link for an account owner', startConnect, {}, 201],
  ['the upload URL for a file', createMediaUpload, { type: 'image/png', bytes: 1000 }, 201],
] as const)('%s reports whether a process serves it', async (_, operation, input, status) => {
  const it = await setupDispatch();
  const { authorization } = await it.key(['connections:write', 'posts:write']);
  for (const hostedPages of [true, false]) {
    it.ports.settings = { ...it.ports.settings, hostedPages };
    const response = await it.call(operation, input, { authorization });
    expect(response).toMatchObject({ status, value: { served: hostedPages } });
    expect(
      operation
        .sentence(response.value, { platformName: (id) => id })
        .startsWith('No REST process serves this link'),
    ).toBe(!hostedPages);
  }
});
