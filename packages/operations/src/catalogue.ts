// Generated from the folders beside it by `pnpm generate`; do not edit.
import type { Operation } from './define.js';
import getMe from './me/get-me.js';
import getPlatform from './platforms/get-platform.js';
import listPlatforms from './platforms/list-platforms.js';
import createProfile from './profiles/create-profile.js';
import deleteProfile from './profiles/delete-profile.js';
import getProfile from './profiles/get-profile.js';
import listProfiles from './profiles/list-profiles.js';
import updateProfile from './profiles/update-profile.js';

/** Every operation there is. */
export const catalogue: readonly Operation[] = [
  getMe,
  getPlatform,
  listPlatforms,
  createProfile,
  deleteProfile,
  getProfile,
  listProfiles,
  updateProfile,
];
