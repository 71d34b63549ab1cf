import type { PlatformName } from '../world.js';
import type { Markup } from './html.js';
import { html } from './html.js';
import { layout } from './layout.js';

/** A page with a single message. */
export function messagePage(says: {
  readonly platform?: PlatformName;
  readonly title: string;
  readonly message: string;
}): Markup {
  return layout({
    title: says.title,
    platform: says.platform,
    narrow: true,
    content: html`<section class="card message">
      <h1>${says.title}</h1>
      <p>${says.message}</p>
    </section>`,
  });
}
