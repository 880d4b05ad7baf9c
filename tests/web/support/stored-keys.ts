import type { Page } from 'playwright-core';

/** The private keys that a page keeps, read as only a script of its own origin can: what must never be sent. */
export async function keptKeys(page: Page): Promise<readonly string[]> {
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
