import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';

export const cancelForm = ({ path, csrf }: Forms): Markup =>
  html`<form method="post" action="${path}/cancel">
    <input type="hidden" name="csrf" value="${csrf}" /><button class="quiet">Cancel</button>
  </form>`;
