import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { InjectedWallet } from './injected-wallet.ts';

/** Sizes of screens: a desk, a phone, and what is between. */
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 834, height: 1112 };
const TOUCHED_BELOW = 768;

export type DeskOptions = {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: 'dark' | 'light';
  /** The language of the browser; English unless told. */
  readonly locale?: string;
  /** Runs in the page before anything of it. */
  readonly script?: string;
  /** What the browser has as a wallet; none unless told. */
  readonly wallet?: InjectedWallet;
};

/** Whether nothing is put into the page's way that could not be taken out again. */
export function isPlain({ locale, script, theme = 'dark', wallet }: DeskOptions): boolean {
  const isUsual = locale === undefined && theme === 'dark';
  return script === undefined && wallet === undefined && isUsual;
}

/** A browser that somebody sits at: its storage is nobody else's. */
export class Desk {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #isTouched: boolean;

  private constructor(context: BrowserContext, page: Page, isTouched: boolean) {
    this.#context = context;
    this.page = page;
    this.#isTouched = isTouched;
  }

  static async open(browser: Browser, options: DeskOptions): Promise<Desk> {
    const { locale = 'en-US', script, theme = 'dark', viewport = DESKTOP, wallet } = options;
    const context = await browser.newContext({
      viewport: { ...viewport },
      locale,
      timezoneId: 'UTC',
      hasTouch: isTouched(options),
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await context.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`,
    );
    await context.addInitScript(
      `localStorage.getItem('oddlot.preferences') ?? localStorage.setItem('oddlot.preferences', '{"theme":"${theme}"}');`,
    );
    if (script !== undefined) await context.addInitScript(script);
    await wallet?.inject(context);
    return new Desk(context, await context.newPage(), isTouched(options));
  }

  suits(options: DeskOptions): boolean {
    return isTouched(options) === this.#isTouched;
  }

  /** Takes everything away that a visitor could have left: other tabs, routes, what is stored, the pointer's place. */
  async empty(origin: string): Promise<void> {
    const { page } = this;
    for (const other of this.#context.pages()) if (other !== page) await other.close();
    await this.#context.setOffline(false);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    if (page.url().startsWith('http')) await page.evaluate(() => sessionStorage.clear());
    await page.goto('about:blank');
    await page.mouse.move(0, 0);
    const session = await this.#context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}

function isTouched({ viewport = DESKTOP }: DeskOptions): boolean {
  return viewport.width < TOUCHED_BELOW;
}
