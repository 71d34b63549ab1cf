export * from './disk-media-files.js';
export * from './media-tools.js';
export { linkPreviews } from './link-previews/link-previews.js';
