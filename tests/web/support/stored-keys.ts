import type { Page } from 'playwright-core';

/**
 * Returns the private keys that a page has stored. They must never be sent. The function reads them
 * with a script from the page's origin.
 */
export async function storedKeys(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
      new Promise((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result));
        request.addEventListener('error', () => reject(request.error!));
      });
    const database = await settled(indexedDB.open('oddlot-keys'));
    const store = database.transaction('entries').objectStore('entries');
    const [names, values] = await Promise.all([
      settled(store.getAllKeys()),
      settled(store.getAll()),
    ]);
    const device: CryptoKey = values[names.indexOf('device')];
    const keys: string[] = [];
    for (const [at, name] of names.entries()) {
      if (name === 'device') continue;
      const { bytes, iv } = values[at] as { iv: Uint8Array<ArrayBuffer>; bytes: ArrayBuffer };
      const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, device, bytes);
      keys.push(new TextDecoder().decode(plain));
    }
    if (device.extractable) throw new Error('The device key can be read out');
    return keys;
  });
}

/** Returns the number of private keys that a page has stored. */
export async function storedKeyCount(page: Page): Promise<number> {
  const hasAny = await page.evaluate(async () =>
    (await indexedDB.databases()).some(({ name }) => name === 'oddlot-keys'),
  );
  if (!hasAny) return 0;
  const names = await page.evaluate(
    () =>
      new Promise<readonly IDBValidKey[]>((resolve, reject) => {
        const opening = indexedDB.open('oddlot-keys');
        opening.addEventListener('error', () => reject(opening.error!));
        opening.addEventListener('success', () => {
          const reading = opening.result.transaction('entries').objectStore('entries').getAllKeys();
          reading.addEventListener('success', () => resolve(reading.result));
          reading.addEventListener('error', () => reject(reading.error!));
        });
      }),
  );
  return names.filter((name) => name !== 'device').length;
}
