import { expect } from '@jest/globals';
import axe from 'axe-core';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page, type Response } from 'playwright-core';

const SCREENSHOTS = join(import.meta.dirname, '../../screenshots');
const SIZES = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } } as const;
/** The viewport width at which WCAG 2.1 requires pages to reflow without horizontal scrolling (1.4.10). */
const NARROWEST = { width: 320, height: 640 };
const RULES = ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'];

/**
 * Headless, from `CHROMIUM_PATH` or Debian's default path; its background network requests are disabled. `hosts`
 * are served by this machine at the given ports, with any certificate.
 */
export async function openChromium(hosts: Readonly<Record<string, number>> = {}): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) {
    throw new Error('These tests require Chromium: install it, or set CHROMIUM_PATH.');
  }
  mkdirSync(SCREENSHOTS, { recursive: true });
  const rules = Object.entries(hosts).map(([host, port]) => `MAP ${host} 127.0.0.1:${port}`);
  const args = [
    ...['--no-sandbox', '--disable-background-networking', '--ignore-certificate-errors'],
    `--host-resolver-rules=${rules.join(', ')}`,
  ];
  return chromium.launch({ executablePath, headless: true, args });
}

export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Every Switchboard response that this browser received, including its security headers. */
  readonly responses: readonly Response[];
  /** Checks the current page in light and dark mode at desktop and phone size, and at the narrowest width. */
  inspect(name: string, on?: Page): Promise<void>;
  press(name: string | RegExp, on?: Page): Promise<void>;
  heading(on?: Page): Promise<string>;
  close(): Promise<void>;
}

/** A visitor with a separate browser profile and JavaScript disabled. */
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
        expect([name, colorScheme, await runAccessibilityAudit(browser, page, colorScheme)]).toEqual([
          name,
          colorScheme,
          [],
        ]);
      }
      await page.setViewportSize(NARROWEST);
      const wide = await page.evaluate('document.documentElement.scrollWidth');
      expect([name, wide]).toEqual([name, NARROWEST.width]);
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-narrow.png`), fullPage: true });
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

/**
 * Returns the axe findings. Axe requires scripts, so the same document is loaded in a window with JavaScript
 * enabled.
 */
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
