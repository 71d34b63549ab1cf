import { definePlatform } from '@switchboard/platform-kit/define-platform';
import { analytics } from './analytics.js';
import { connecting } from './connecting.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';

export default definePlatform({ manifest, connecting, publishing, analytics });
