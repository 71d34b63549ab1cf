import { expect } from '@jest/globals';
import axe from 'axe-core';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page, type Response } from 'playwright-core';

const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');
const SIZES = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } } as const;
/** What WCAG 2.1 asks pages to fit into without scrolling sideways (1.4.10). */
const NARROWEST = { width: 320, height: 640 };
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'];

/** Headless, from `CHROMIUM_PATH` or where Debian has it; it talks to nobody by itself. */
export async function openChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error('These tests need a Chromium: install it, or name it with CHROMIUM_PATH.');
  }
  mkdirSync(SCREENSHOTS, { recursive: true });
  const args = ['--no-sandbox', '--disable-background-networking'];
  return chromium.launch({ executablePath, headless: true, args });
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every answer of ours that it was given, how it was hardened included. */
  readonly responses: readonly Response[];
  /** Looks at the page as it is, in light and dark, on a desk and on a phone, and has it judged. */
  inspect(name: string, on?: Page): Promise<void>;
  press(name: string | RegExp, on?: Page): Promise<void>;
  heading(on?: Page): Promise<string>;
  close(): Promise<void>;
}

/** Somebody with a browser of their own, in which no page runs a script. */
export async function openVisitor(browser: Browser, origin: string, locale = 'en-GB'): Promise<Visitor> {
  const context = await browser.newContext({ javaScriptEnabled: false, locale, viewport: SIZES.desktop });
  const responses: Response[] = [];
  context.on('response', (response) => {
    if (response.url().startsWith(origin)) responses.push(response);
  });
  const first = await context.newPage();
  return {
    context,
    page: first,
    responses,
    async inspect(name, page = first) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        for (const [size, viewport] of Object.entries(SIZES)) {
          await page.setViewportSize(viewport);
          const path = join(SCREENSHOTS, `${name}-${size}-${colorScheme}.png`);
          await page.screenshot({ path, fullPage: true });
        }
        expect([name, colorScheme, await runAccessibilityAudit(browser, page, colorScheme)]).toEqual([name, colorScheme, []]);
      }
      await page.setViewportSize(NARROWEST);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect([name, wide]).toEqual([name, NARROWEST.width]);
      await page.setViewportSize(SIZES.desktop);
    },
    async press(name, page = first) {
      const button = page.getByRole('button', { name }).or(page.getByRole('link', { name }));
      await button.first().click();
      await page.waitForLoadState();
    },
    heading: async (page = first) => (await page.getByRole('heading', { level: 1 }).innerText()).trim(),
    close: () => context.close(),
  };
}

/** What axe finds. It needs scripts, so it is given the same document in a window that runs them. */
async function runAccessibilityAudit(
  browser: Browser,
  page: Page,
  colorScheme: 'light' | 'dark',
): Promise<readonly string[]> {
  const auditPage = await browser.newPage({ viewport: SIZES.phone, colorScheme });
  try {
    await auditPage.setContent(await page.content());
    await auditPage.evaluate(axe.source);
    return await auditPage.evaluate<readonly string[]>(
      `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
    );
  } finally {
    await auditPage.close();
  }
}
