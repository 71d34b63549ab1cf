import { parentPort } from 'node:worker_threads';
import { drawPng } from './draw-png.js';
import { drawSvg } from './draw-svg.js';
import type { DrawingRequest, DrawingResponse } from './protocol.js';

// The program of the thread in which charts are drawn.
parentPort?.on('message', ({ id, task }: DrawingRequest) => {
  const drawing = task.format === 'svg' ? drawSvg(task.chart, task.style) : drawPng(task.chart, task.size);
  drawing
    .then(
      (drawn): DrawingResponse => ({ id, drawing: drawn }),
      (error: unknown): DrawingResponse => ({ id, error: String(error) }),
    )
    .then((response) => parentPort?.postMessage(response))
    .catch(() => process.exit(1));
});
