import { createGraphClient } from '../graph/graph.js';
import { manifest } from './manifest.js';

export const requestJson = createGraphClient(manifest.name);
