import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { InjectedWallet } from './injected-wallet.ts';

/** Sizes of a desktop and a phone. All other devices are in between. */
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };
export const TABLET = { width: 834, height: 1112 };
const TOUCHED_BELOW = 768;

export type DeskOptions = {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: 'dark' | 'light';
  /** The browser's language. The default is English. */
  readonly locale?: string;
  /** A script that runs before the page's own code. */
  readonly script?: string;
  /**
   * True if the page may install its worker. The worker answers requests before tests can intercept
   * them.
   */
  readonly hasWorker?: boolean;
  /** The browser's wallet. By default, there is none. */
  readonly wallet?: InjectedWallet;
};

/** Notices shown at the same time, and the elements that they covered. */
export type NoticeGroup = {
  readonly texts: readonly string[];
  readonly covered: readonly string[];
};

/**
 * Returns true if everything the options do can be undone, so that the browser context can be
 * reused.
 */
export function isPlain({
  hasWorker,
  locale,
  script,
  theme = 'dark',
  wallet,
}: DeskOptions): boolean {
  const isUsual = locale === undefined && theme === 'dark';
  return hasWorker !== true && script === undefined && wallet === undefined && isUsual;
}

/** A browser context with its own storage. */
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
    await context.addInitScript(recordNotices);
    if (options.hasWorker !== true) {
      await context.addInitScript('delete Navigator.prototype.serviceWorker;');
    }
    if (script !== undefined) await context.addInitScript(script);
    await wallet?.inject(context);
    return new Desk(context, await context.newPage(), isTouched(options));
  }

  suits(options: DeskOptions): boolean {
    return isTouched(options) === this.#isTouched;
  }

  /**
   * Removes everything that a visitor may have left behind: other tabs, routes, stored data and the
   * pointer's position.
   */
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

/**
 * Runs in the page and records notices, because they disappear within seconds and a test may check
 * them later. Each record lists the readable or clickable elements that the notice covered. If a
 * sheet is open, only its elements count.
 */
function recordNotices(): void {
  const recorded: NoticeGroup[] = [];
  (globalThis as { recordedNotices?: readonly NoticeGroup[] }).recordedNotices = recorded;
  const rect = (element: Element): DOMRect => element.getBoundingClientRect();
  const covered = (shown: readonly DOMRect[]): string[] => {
    const sheets = document.querySelectorAll('[role=dialog]');
    const parts = sheets.length > 0 ? sheets : document.querySelectorAll('header, main, nav');
    return [...parts]
      .filter((part) => {
        const { bottom, height, top } = rect(part);
        return height > 0 && shown.some((each) => each.top < bottom && each.bottom > top);
      })
      .map(({ outerHTML }) => outerHTML.slice(0, 100));
  };
  // Checks every frame and records a notice once it has appeared, not during its animation.
  const look = (): void => {
    const shown = [...document.querySelectorAll<HTMLElement>('li[data-swipe-direction]')]
      .map((notice) => ({ text: notice.innerText.replaceAll('\n', ' | '), at: rect(notice) }))
      .filter(({ at }) => at.height > 0);
    const texts = shown.map(({ text }) => text);
    if (texts.join('\n') === recorded.at(-1)?.texts.join('\n')) recorded.pop();
    if (shown.length > 0) recorded.push({ texts, covered: covered(shown.map(({ at }) => at)) });
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}
