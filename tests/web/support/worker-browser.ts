import { WebBrowser } from './web-browser.ts';

/**
 * Returns one Chromium for all of a worker's files. A pipe connects the browser to its worker, and
 * both end together.
 */
export async function workerBrowser(): Promise<WebBrowser> {
  started ??= WebBrowser.start({ isReusing: true });
  return started;
}

let started: Promise<WebBrowser> | undefined;
