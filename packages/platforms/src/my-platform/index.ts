import { definePlatform } from '../kit/define-platform.js';
import { connecting } from './connecting.js';
import { manifest } from './manifest.js';
import { publishing } from './publishing.js';

export default definePlatform({ manifest, connecting, publishing });
