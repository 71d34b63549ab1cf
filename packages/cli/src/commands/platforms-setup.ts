import { getPlatform } from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { shown } from '../operation.js';
import { anywhereCall } from '../operator.js';
import { answer } from '../outcome.js';
import { withService } from '../with-service.js';

export const platformsSetup = (platforms: Command) =>
  platforms
    .command('setup')
    .description('what to register at a platform, and what to put into the environment')
    .argument('<id>', 'see `platforms list`')
    .action(
      act((id: string) =>
        withService(async (desk) => {
          const call = anywhereCall(desk);
          const found = await getPlatform(desk.service.ports, call, { id });
          if (!found.ok) return found;
          const { manifest, missing } = found.value;
          const redirectUri = `${desk.service.config.publicUrl}/oauth/callback/${id}`;
          const permissions = new Set([
            ...Object.values(manifest.permissions).flat(),
            ...manifest.connect.flatMap(({ oauth2 }) => oauth2?.permissions ?? []),
          ]);
          const needsApp = manifest.connect.some((way) => way.needsApp);
          const lines = [
            manifest.name,
            `console       ${manifest.setup.consoleUrl ?? 'none: there is nothing to register'}`,
            `redirect URI  ${redirectUri}`,
            `permissions   ${[...permissions].join(' ') || 'none'}`,
            `review        ${manifest.setup.reviewNeeded ? 'the platform must review your app first' : 'not needed'}`,
            `environment   ${environmentText(missing, needsApp)}`,
            ...manifest.setup.pitfalls.map((pitfall) => `note          ${pitfall}`),
            `documentation ${manifest.docsUrl}`,
          ];
          const { setup } = shown(desk, call, 'getPlatform', found.value).json as { readonly setup: object };
          return answer(
            { id, ...setup, permissions: [...permissions], missing, docs_url: manifest.docsUrl },
            lines.join('\n'),
          );
        }),
      ),
    );

function environmentText(missing: readonly string[], needsApp: boolean): string {
  if (missing.length > 0) return `set ${missing.join(' and ')}, and restart`;
  return needsApp ? 'complete' : 'nothing to set';
}
