import type { SignIn } from '@switchboard/bootstrap/authorization-server';
import type { Translator } from '../texts/translator.js';
import { html, type Markup } from './html.js';
import { sanitizeName } from './isolate-name.js';

/** What identifies a client to a person: its addresses, since any client can take any name. */
export const clientCard = ({ host, redirectHost }: SignIn['client'], translator: Translator): Markup =>
  html`<div class="client">
    <p>${translator.markup('clientNameUnverified')}</p>
    <dl>
      <dt>${translator.markup('clientAddress')}</dt>
      <dd><bdi>${sanitizeName(host)}</bdi></dd>
      <dt>${translator.markup('clientReturn')}</dt>
      <dd>
        ${redirectHost === null ? translator.markup('thisDevice') : html`<bdi>${sanitizeName(redirectHost)}</bdi>`}
      </dd>
    </dl>
  </div>`;
