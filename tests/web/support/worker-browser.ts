import { WebBrowser } from './web-browser.ts';

/**
 * Returns one Chromium for all files of a worker. The browser is connected to its worker by a pipe
 * and ends with it.
 */
export async function workerBrowser(): Promise<WebBrowser> {
  started ??= WebBrowser.start({ isReusing: true });
  return started;
}

let started: Promise<WebBrowser> | undefined;
