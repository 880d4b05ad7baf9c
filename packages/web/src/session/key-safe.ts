/**
 * Stores keys encrypted with a non-extractable device key, or only in memory. Keys are never logged
 * or sent.
 */

const DATABASE = 'oddlot-keys';
const STORE = 'entries';
const DEVICE_KEY = 'device';
const IV_BYTES = 12;

type Sealed = { readonly iv: Uint8Array<ArrayBuffer>; readonly bytes: ArrayBuffer };

const held = new Map<string, string>();
let isDenied = false;

export function canKeepKeys(): boolean {
  return !isDenied && globalThis.isSecureContext && 'indexedDB' in globalThis;
}

async function inSafe<Result>(ask: () => Promise<Result>, instead: () => Result): Promise<Result> {
  if (!canKeepKeys()) return instead();
  try {
    return await ask();
  } catch {
    isDenied = true;
    return instead();
  }
}

export async function seal(name: string, text: string): Promise<void> {
  await inSafe(
    () => sealed(name, text),
    () => void held.set(name, text),
  );
}

async function sealed(name: string, text: string): Promise<void> {
  const key = await deviceKey();
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const bytes = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv },
    key,
    new TextEncoder().encode(text),
  );
  const entry: Sealed = { iv, bytes };
  await withStore('readwrite', (store) => store.put(entry, name));
}

export function unseal(name: string): Promise<string | undefined> {
  return inSafe(
    () => unsealed(name),
    () => held.get(name),
  );
}

async function unsealed(name: string): Promise<string | undefined> {
  const entry = await withStore<Sealed | undefined>('readonly', (store) => store.get(name));
  if (entry === undefined) return undefined;
  const key = await deviceKey();
  const plain = await crypto.subtle
    .decrypt({ name: 'AES-GCM', iv: entry.iv }, key, entry.bytes)
    .catch(() => undefined);
  return plain === undefined ? undefined : new TextDecoder().decode(plain);
}

export async function forget(name: string): Promise<void> {
  held.delete(name);
  await inSafe(
    () => withStore<void>('readwrite', (store) => store.delete(name)),
    () => undefined,
  );
}

/**
 * Returns the device key, creating a new one if the stored key is invalid. Even the page itself
 * cannot export the key.
 */
async function deviceKey(): Promise<CryptoKey> {
  const known = await withStore<unknown>('readonly', (store) => store.get(DEVICE_KEY));
  if (known instanceof CryptoKey && known.algorithm.name === 'AES-GCM') return known;
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  await withStore('readwrite', (store) => store.put(made, DEVICE_KEY));
  return made;
}

async function withStore<Result>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest,
): Promise<Result> {
  const database = await settled<IDBDatabase>(openDatabase());
  try {
    return await settled<Result>(ask(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function openDatabase(): IDBOpenDBRequest {
  const opening = indexedDB.open(DATABASE, 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(STORE));
  return opening;
}

function settled<Result>(request: IDBRequest): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result as Result));
    request.addEventListener('error', () => reject(request.error ?? new Error('IndexedDB failed')));
  });
}
