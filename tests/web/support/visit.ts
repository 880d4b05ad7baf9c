import type { ConsoleMessage, Page, Request, WebSocket } from 'playwright-core';
import { expect } from 'vitest';
import { DESKTOP, type Desk, type DeskOptions, type NoticeGroup } from './desk.ts';
import { openTestAccount, type TestAccount } from './test-account.ts';

export { DESKTOP, PHONE, TABLET } from './desk.ts';

export type VisitOptions = DeskOptions & {
  /** Console errors that the test itself causes, for example by stopping a venue. */
  readonly expectedErrors?: RegExp;
};

/** A timeout in milliseconds that is long enough on a shared machine. */
const CONVERGE_MS_MAX = 60_000;

/** Data that the page sent, as recorded by the browser. */
export type Sent = { readonly url: string; readonly body: string };

/**
 * A visit to the page in a real browser. Every visit checks for console errors, violations of the
 * page's policy, and requests to hosts other than the venue.
 */
export class Visit {
  readonly page: Page;
  readonly url: string;
  /** All requests and socket frames that the page has sent during the visit. */
  readonly sent: Sent[] = [];
  /** Channels that have sent data to the open page. */
  readonly #receivedChannels = new Set<string>();
  readonly #faults: string[] = [];
  readonly #leaveDesk: () => Promise<void>;
  #expected: RegExp | undefined;
  #isLeft = false;

  private constructor(
    page: Page,
    url: string,
    options: VisitOptions,
    leaveDesk: () => Promise<void>,
  ) {
    this.page = page;
    this.url = url;
    this.#expected = options.expectedErrors;
    this.#leaveDesk = leaveDesk;
  }

  static async begin(
    { page }: Desk,
    url: string,
    options: VisitOptions,
    leaveDesk: () => Promise<void>,
  ): Promise<Visit> {
    await page.setViewportSize({ ...(options.viewport ?? DESKTOP) });
    page.setDefaultTimeout(CONVERGE_MS_MAX);
    const visit = new Visit(page, url, options, leaveDesk);
    visit.#watch();
    return visit;
  }

  /** Opens an address of the page and waits for its first screen. */
  async open(path = '/'): Promise<void> {
    this.#receivedChannels.clear();
    await this.page.goto(this.url + path);
    await this.page.locator('main#screen > *').first().waitFor();
  }

  /** Works like `open`, but the visitor already has a test account. */
  async openWithAccount(path = '/'): Promise<TestAccount> {
    const account = await openTestAccount(this.page, this.url);
    await this.open(path);
    return account;
  }

  /** Waits until the page follows a channel, because earlier events are not sent on it. */
  async waitForChannel(channel: string): Promise<void> {
    await expect
      .poll(() => [...this.#receivedChannels], { timeout: CONVERGE_MS_MAX })
      .toContain(channel);
  }

  /** Waits until the open page has shown a notice, even one that has already disappeared. */
  async waitForNotice(text: string): Promise<void> {
    await expect
      .poll(async () => (await this.notices()).flatMap(({ texts }) => texts), {
        timeout: CONVERGE_MS_MAX,
      })
      .toContainEqual(expect.stringContaining(text));
  }

  /**
   * Returns every notice that the open page has shown, grouped with the notices shown at the same
   * time.
   */
  async notices(): Promise<readonly NoticeGroup[]> {
    return this.page.evaluate(
      () => (globalThis as { recordedNotices?: readonly NoticeGroup[] }).recordedNotices ?? [],
    );
  }

  /** The visit's errors, one line each. */
  get faults(): readonly string[] {
    return this.#faults.filter((fault) => this.#expected?.test(fault) !== true);
  }

  /** Ignores subsequent errors that match the pattern. */
  expectErrors(pattern: RegExp): void {
    this.#expected = pattern;
  }

  async leave(): Promise<void> {
    if (!this.#isLeft) {
      this.#isLeft = true;
      this.#lookAway();
      await this.#leaveDesk();
    }
    if (this.faults.length > 0) throw new Error(`In the browser:\n${this.faults.join('\n')}`);
  }

  readonly #onConsole = (message: ConsoleMessage): void => {
    if (message.type() === 'error' || message.type() === 'warning') {
      this.#faults.push(`console ${message.type()}: ${message.text()}`);
    }
  };
  readonly #onError = (error: Error): void => {
    this.#faults.push(`uncaught: ${error.stack ?? error.message}`);
  };
  readonly #onRequest = (request: Request): void => this.#sent(request);
  readonly #onSocket = (socket: WebSocket): void => {
    this.#isHome(socket.url().replace(/^ws/, 'http'));
    socket.on('framesent', ({ payload }) => {
      this.sent.push({ url: socket.url(), body: String(payload) });
    });
    socket.on('framereceived', ({ payload }) => {
      const channel = /"channel":"(\w+)"/.exec(String(payload))?.[1];
      if (channel !== undefined) this.#receivedChannels.add(channel);
    });
  };

  #watch(): void {
    this.page.on('console', this.#onConsole);
    this.page.on('pageerror', this.#onError);
    this.page.on('request', this.#onRequest);
    this.page.on('websocket', this.#onSocket);
  }

  /** Stops recording, so that the next visitor's errors are separate. */
  #lookAway(): void {
    this.page.off('console', this.#onConsole);
    this.page.off('pageerror', this.#onError);
    this.page.off('request', this.#onRequest);
    this.page.off('websocket', this.#onSocket);
  }

  #sent(request: Request): void {
    this.#isHome(request.url());
    this.sent.push({ url: request.url(), body: request.postData() ?? '' });
  }

  #isHome(url: string): void {
    if (/^(?:data|blob):/.test(url) || new URL(url).origin === new URL(this.url).origin) return;
    // A local venue's settlement chain is on the same machine.
    if (new URL(url).hostname === new URL(this.url).hostname) return;
    this.#faults.push(`a request to another host: ${url}`);
  }
}
