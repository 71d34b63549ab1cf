import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { squareStore, type SquareOptions, type SquareStore } from './store.js';

export interface RunningSquare extends SquareStore, SimulatedServer {}

/** A merchant at Square on a port of this machine. */
export async function startSquare(options: SquareOptions = {}): Promise<RunningSquare> {
  const store = squareStore(options);
  const server = await startServer('store', (request) => store.answer(request));
  return { ...store, ...server };
}
