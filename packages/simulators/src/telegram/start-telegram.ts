import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { telegramNetwork, type TelegramNetwork, type TelegramOptions } from './network.js';

export interface RunningTelegram extends TelegramNetwork, SimulatedServer {}

/** Telegram's Bot API on a local port. */
export async function startTelegram(options: TelegramOptions = {}): Promise<RunningTelegram> {
  const network = telegramNetwork(options);
  return { ...network, ...(await startServer('social', (request) => network.respondTo(request))) };
}
