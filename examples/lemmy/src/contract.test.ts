import { keysContract } from '@switchboard/platform-kit/testing/keys-contract';
import { platformContract } from '@switchboard/platform-kit/testing/contract';
import platform from './index.js';
import { startWorld } from './simulator.js';

platformContract(platform, startWorld);
keysContract(platform, startWorld);
