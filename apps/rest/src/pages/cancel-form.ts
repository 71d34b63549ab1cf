import type { Translator } from '../texts/translator.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';

export const cancelForm = ({ path, csrf }: Forms, translator: Translator): Markup =>
  html`<form method="post" action="${path}/cancel">
    <input type="hidden" name="csrf" value="${csrf}" /><button class="quiet">
      ${translator.markup('cancel')}
    </button>
  </form>`;
