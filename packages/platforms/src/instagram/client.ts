import { createGraphClient } from '../kit/graph.js';
import { manifest } from './manifest.js';

export const requestJson = createGraphClient(manifest.name);
