import { definePlatform } from '@switchboard/platform-kit/define-platform';
import { connecting } from './connecting.js';
import { manifest } from './manifest.js';
import { orders } from './orders.js';
import { refunding } from './refunding.js';

export default definePlatform({ manifest, connecting, orders, refunds: refunding });
