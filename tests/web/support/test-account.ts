import { createClient, privateKeyWallet, randomPrivateKey, type Client } from '@oddlot/sdk';
import type { Page } from 'playwright-core';

/** One of the page's test accounts, and its owner's SDK client. */
export type TestAccount = { readonly address: string; readonly owner: Client };

/** The name that the page gives to its agent. */
const AGENT_NAME = 'this browser';

/**
 * Gives a browser the test account that a first visit would create: a key, funds and an agent. Only
 * tests of the first visit press the button; storing keys directly is equivalent and much faster.
 */
export async function openTestAccount(page: Page, url: string): Promise<TestAccount> {
  const [key, agentKey] = [randomPrivateKey(), randomPrivateKey()];
  const owner = createClient({ url, wallet: privateKeyWallet(key) });
  const { address } = owner.wallet!;
  await owner.faucet({ user: address });
  const agentAddress = privateKeyWallet(agentKey).address;
  const agent = { agentAddress, agentName: AGENT_NAME };
  await owner.exchange.approveAgent(agent, { confirm: 'executed' });
  // Any file from the origin will do, because storage belongs to the origin rather than the page.
  await page.goto(`${url}/favicon.svg`);
  await page.evaluate(keepKeys, { burner: key, [`agent ${address}`]: agentKey });
  return { address, owner };
}

/** Runs in the page and stores keys just as the page does. */
async function keepKeys(keys: Readonly<Record<string, string>>): Promise<void> {
  const settled = <Result>(request: IDBRequest<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result));
      request.addEventListener('error', () => reject(request.error!));
    });
  const opening = indexedDB.open('oddlot-keys', 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('entries'));
  const database = await settled(opening);
  const device = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  const sealed = await Promise.all(
    Object.entries(keys).map(async ([name, key]) => {
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const text = new TextEncoder().encode(key);
      const bytes = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, device, text);
      return [name, { iv, bytes }] as const;
    }),
  );
  const store = database.transaction('entries', 'readwrite').objectStore('entries');
  await Promise.all(
    [['device', device] as const, ...sealed].map(([name, value]) =>
      settled(store.put(value, name)),
    ),
  );
  database.close();
}
