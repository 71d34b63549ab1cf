import { definePlatform } from '@switchboard/platform-kit';
import { connecting } from './connecting.js';
import { manifest } from './manifest.js';
import { orders } from './orders.js';
import { refunds } from './refunds.js';

export default definePlatform({ manifest, connecting, orders, refunds });
