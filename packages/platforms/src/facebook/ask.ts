import { speakingGraph } from '../kit/graph.js';
import { manifest } from './manifest.js';

export const ask = speakingGraph(manifest.name);
