import { chromium, type Browser } from 'playwright-core';
import { findChromium } from './find-chromium.ts';
import { Visit, type VisitOptions } from './visit.ts';

/** One Chromium for a file of tests; each test visits the page in a context of its own. */
export class WebBrowser {
  readonly #browser: Browser;
  readonly #visits = new Set<Visit>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async start(): Promise<WebBrowser> {
    const { args, path } = await findChromium();
    return new WebBrowser(await chromium.launch({ executablePath: path, args: [...args] }));
  }

  /** A person with an empty browser, who has not opened the page yet. */
  async visit(url: string, options: VisitOptions = {}): Promise<Visit> {
    const visit = await Visit.begin(this.#browser, url, options);
    this.#visits.add(visit);
    return visit;
  }

  /** Ends the visits of a test; throws what went wrong in any of them unseen. */
  async leaveAll(): Promise<void> {
    const visits = [...this.#visits];
    this.#visits.clear();
    for (const visit of visits) await visit.leave();
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
