import type { Command } from 'commander';
import { Argument } from 'commander';
import { toAction } from '../to-action.js';
import { findAccount } from '../find-account.js';
import { usageError } from '../command-result.js';
import { tryOrders } from '../try-orders.js';
import { tryPost } from '../try-post.js';
import { withService } from '../with-service.js';

interface Options {
  readonly workspace?: string;
  readonly profile?: string;
  readonly connection?: string;
  readonly allowDuplicate?: boolean;
}

export const platformsTry = (platforms: Command) =>
  platforms
    .command('try')
    .description('test a connected account: publish a post, or read the newest orders')
    .argument('<id>', 'the platform')
    .addArgument(new Argument('<what>').choices(['post', 'orders']))
    .argument('[text]', 'text of the post')
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <name>', 'id, name or external id; default: the profile of the account')
    .option('--connection <id>', 'required when several accounts of the platform are connected')
    .option('--allow-duplicate', 'publish the same text again')
    .action(
      toAction(async (platform: string, what: string, text: string | undefined, options: Options) => {
        if (what === 'post' && text === undefined)
          return usageError('The text is missing. Use: try <id> post "text".');
        if (what === 'orders' && text !== undefined) return usageError('try <id> orders accepts no text.');
        return withService(async (context) => {
          const account = await findAccount(context, { platform, ...options });
          if (!account.ok) return account;
          return text === undefined
            ? tryOrders(context, account.value)
            : tryPost(context, account.value, text, options.allowDuplicate ?? false);
        });
      }),
    );
