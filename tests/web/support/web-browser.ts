import { chromium, type Browser } from 'playwright-core';
import { Desk, isPlain } from './desk.ts';
import { findChromium } from './find-chromium.ts';
import { Visit, type VisitOptions } from './visit.ts';

/** One Chromium process, in which each visit has its own browser context. */
export class WebBrowser {
  readonly #browser: Browser;
  readonly #isReusing: boolean;
  readonly #visits = new Set<Visit>();
  /** Cleared contexts of past visits. All that remains in them is the page's compiled code. */
  readonly #desks: Desk[] = [];

  private constructor(browser: Browser, isReusing: boolean) {
    this.#browser = browser;
    this.#isReusing = isReusing;
  }

  /**
   * With `isReusing`, a visitor may get an earlier visitor's cleared context, because creating a
   * context takes most of a test's time.
   */
  static async start({ isReusing = false } = {}): Promise<WebBrowser> {
    const { args, path } = await findChromium();
    const options = { executablePath: path, args: [...args], handleSIGTERM: !isReusing };
    return new WebBrowser(await chromium.launch(options), isReusing);
  }

  /** Creates a visitor with an empty browser. The page is not open yet. */
  async visit(url: string, options: VisitOptions = {}): Promise<Visit> {
    const desk = await this.#deskFor(options);
    const visit = await Visit.begin(desk, url, options, () => this.#leaveDesk(desk, options, url));
    this.#visits.add(visit);
    return visit;
  }

  /** Ends all of a test's visits and throws their unexpected errors. */
  async leaveAll(): Promise<void> {
    const visits = [...this.#visits];
    this.#visits.clear();
    const ends = await Promise.allSettled(visits.map((visit) => visit.leave()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  async #deskFor(options: VisitOptions): Promise<Desk> {
    const at = isPlain(options) ? this.#desks.findIndex((desk) => desk.suits(options)) : -1;
    return at < 0 ? Desk.open(this.#browser, options) : this.#desks.splice(at, 1)[0]!;
  }

  async #leaveDesk(desk: Desk, options: VisitOptions, url: string): Promise<void> {
    if (!this.#isReusing || !isPlain(options)) return desk.close();
    await desk.empty(new URL(url).origin);
    this.#desks.push(desk);
  }
}
