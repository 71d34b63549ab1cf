import type { Words } from '../texts/words.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';

export const cancelForm = ({ path, csrf }: Forms, words: Words): Markup =>
  html`<form method="post" action="${path}/cancel">
    <input type="hidden" name="csrf" value="${csrf}" /><button class="quiet">${words.say('cancel')}</button>
  </form>`;
