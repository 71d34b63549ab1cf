/** In a path the place of the key, where the platform takes it there. No URL with the key itself is ever made. */
export const KEY_IN_PATH = ':key';
