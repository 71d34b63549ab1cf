const png = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAoAAAAFoAQAAAADvSXf8AAAAMklEQVR42u3BAQ0AAADCoPdP7ewBFAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAAAAAA3cegAATDOVLsAAAAASUVORK5CYII=',
  ].join(''),
  'base64',
);

/** A black picture of 640 by 360. Reddit takes no film without a picture, and nobody gave us one of it. */
export const poster = {
  fileName: 'poster.png',
  type: 'image/png',
  bytes: png.length,
  async *read(): AsyncGenerator<Uint8Array> {
    yield png;
  },
};
