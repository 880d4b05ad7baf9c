import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import type { InjectedWallet } from './injected-wallet.ts';

/** Sizes of screens: a desk, and a phone. */
export const DESKTOP = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

export type VisitOptions = {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly theme?: 'dark' | 'light';
  /** Errors on the console that the test brings about itself, such as a venue that it stops. */
  readonly expectedErrors?: RegExp;
  /** Runs in the page before anything of it. */
  readonly script?: string;
  /** What the browser has as a wallet; none unless told. */
  readonly wallet?: InjectedWallet;
};

/** What the page sent, as the browser saw it. */
export type Sent = { readonly url: string; readonly body: string };

/**
 * A visit to the page by a real browser. What nobody should have to look for is looked for in every visit:
 * errors on the console, violations of the page's policy, requests to any host but the venue.
 */
export class Visit {
  readonly page: Page;
  readonly url: string;
  /** All requests and socket frames of the visit. */
  readonly sent: Sent[] = [];
  readonly #context: BrowserContext;
  readonly #faults: string[] = [];
  #expected: RegExp | undefined;

  private constructor(context: BrowserContext, page: Page, url: string, options: VisitOptions) {
    this.#context = context;
    this.page = page;
    this.url = url;
    this.#expected = options.expectedErrors;
    this.#watch();
  }

  static async begin(browser: Browser, url: string, options: VisitOptions): Promise<Visit> {
    const { script, theme = 'dark', viewport = DESKTOP, wallet } = options;
    const context = await browser.newContext({
      viewport: { ...viewport },
      locale: 'en-US',
      timezoneId: 'UTC',
      hasTouch: viewport.width < 768,
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
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    return new Visit(context, page, url, options);
  }

  /** Goes to an address of the page and waits until its first screen stands. */
  async open(path = '/'): Promise<void> {
    await this.page.goto(this.url + path);
    await this.page.locator('main#screen > *').first().waitFor();
  }

  /** What went wrong so far, each in a line. */
  get faults(): readonly string[] {
    return this.#faults.filter((fault) => this.#expected?.test(fault) !== true);
  }

  /** From now on such errors are the test's own doing. */
  expectErrors(pattern: RegExp): void {
    this.#expected = pattern;
  }

  async leave(): Promise<void> {
    await this.#context.close();
    if (this.faults.length > 0) throw new Error(`In the browser:\n${this.faults.join('\n')}`);
  }

  #watch(): void {
    const { page } = this;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') {
        this.#faults.push(`console ${message.type()}: ${message.text()}`);
      }
    });
    page.on('pageerror', (error) => this.#faults.push(`uncaught: ${error.stack ?? error.message}`));
    page.on('request', (request) => this.#sent(request));
    page.on('websocket', (socket) => {
      this.#isHome(socket.url().replace(/^ws/, 'http'));
      socket.on('framesent', ({ payload }) => {
        this.sent.push({ url: socket.url(), body: String(payload) });
      });
    });
  }

  #sent(request: Request): void {
    this.#isHome(request.url());
    this.sent.push({ url: request.url(), body: request.postData() ?? '' });
  }

  #isHome(url: string): void {
    if (/^(?:data|blob):/.test(url) || new URL(url).origin === new URL(this.url).origin) return;
    // The settlement chain of a local venue is on the same machine.
    if (new URL(url).hostname === new URL(this.url).hostname) return;
    this.#faults.push(`a request to another host: ${url}`);
  }
}
