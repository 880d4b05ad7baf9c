import type { Page } from 'playwright-core';

/** The most that a first visit may load of the list of markets, or of the terminal and its chart. */
export const VISIT_KILOBYTES_MAX = 300;

/** Counts the bytes that the browser receives from now on, including headers. */
export async function countTraffic(
  page: Page,
): Promise<{ readonly kilobytes: () => number; readonly requests: () => number }> {
  const bytes = new Map<string, number>();
  const instruments = await page.context().newCDPSession(page);
  const asked = new Set<string>();
  instruments.on('Network.requestWillBeSent', ({ request: { postData = '', url }, requestId }) => {
    // A repeated request counts once, because the number of repeats depends on the machine's speed.
    if (asked.has(url + postData)) return;
    asked.add(url + postData);
    bytes.set(requestId, 0);
  });
  instruments.on('Network.loadingFinished', ({ encodedDataLength, requestId }) => {
    if (bytes.has(requestId)) bytes.set(requestId, encodedDataLength);
  });
  await instruments.send('Network.enable');
  const sizes = (): readonly number[] => [...bytes.values()];
  return {
    kilobytes: () => sizes().reduce((sum, size) => sum + size, 0) / 1024,
    requests: () => sizes().length,
  };
}
