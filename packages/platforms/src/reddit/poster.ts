const png = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAoAAAAFoAQAAAADvSXf8AAAAMklEQVR42u3BAQ0AAADCoPdP7ewBFAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAAAAAA3cegAATDOVLsAAAAASUVORK5CYII=',
  ].join(''),
  'base64',
);

/** A black image of 640 by 360 pixels. Reddit requires a poster image for a video, and the item has none. */
export const poster = {
  fileName: 'poster.png',
  type: 'image/png',
  bytes: png.length,
  async *read(): AsyncGenerator<Uint8Array> {
    yield png;
  },
};
