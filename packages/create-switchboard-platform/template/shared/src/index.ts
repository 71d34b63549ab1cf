import { definePlatform } from '@switchboard/platform-kit';
import { manifest } from './manifest.js';
import { connecting, publishing } from './publishing.js';

export default definePlatform({ manifest, connecting, publishing });
