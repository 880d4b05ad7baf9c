// Caches the page's program, so that an installed page starts at once, even without a network. The
// venue's answers are never cached: without a connection, the page says so and shows no prices
// rather than old ones.

const PROGRAM = 'oddlot-program';
const SHELL = '/';
const FILES_MAX = 200;
/** Answers slower than this are not awaited, because the cached program can start. */
const PATIENCE_MS = 1500;

addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => globalThis.skipWaiting()));
});
addEventListener('activate', (event) => event.waitUntil(globalThis.clients.claim()));

addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (pathname.startsWith('/assets/')) event.respondWith(programFile(request));
  else if (request.mode === 'navigate' && isScreen(pathname)) {
    event.respondWith(shell(request).then(withoutPreloads));
  }
});

/** Paths with an extension are files, and API paths are not pages. */
function isScreen(path) {
  return !/\.[a-z0-9]{1,12}$|^\/(?:docs|export|info|exchange)(?:\/|$)/i.test(path);
}

/** File names contain a hash of the content, so a cached file is never outdated. */
async function programFile(request) {
  const cache = await caches.open(PROGRAM);
  const kept = await cache.match(request);
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (answer.ok) {
    await cache.put(request, answer.clone());
    await dropOldest(cache);
  }
  return answer;
}

async function shell(request) {
  const cache = await caches.open(PROGRAM);
  const kept = await cache.match(SHELL);
  const asked = fetch(request);
  if (kept === undefined) return asked;
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE_MS));
  const answer = await Promise.race([asked.catch(() => undefined), late]);
  // The page starts even if the venue is busy, restarting or behind a failing proxy.
  const isUsable = answer !== undefined && answer.status !== 429 && answer.status < 500;
  if (!isUsable) return kept;
  if (new URL(request.url).pathname === SHELL && answer.ok) await cache.put(SHELL, answer.clone());
  return answer;
}

/**
 * Removes the preloads. The worker already has the files, and Chromium does not use a preload
 * answered by a worker: it requests the file again and reports the preload as unused.
 */
async function withoutPreloads(answer) {
  if (!answer.ok || !answer.headers.get('content-type')?.startsWith('text/html')) return answer;
  const text = await answer.text();
  const headers = new Headers(answer.headers);
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  const plain = text.replaceAll(/<link rel="modulepreload"[^>]*>\s*/g, '');
  return new Response(plain, { status: answer.status, headers });
}

/** Caches the start page and all files that it refers to. */
async function keepShell() {
  const cache = await caches.open(PROGRAM);
  const answer = await fetch(SHELL, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const text = await answer.clone().text();
  const files = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file);
  await Promise.all(files.map((file) => programFile(new Request(file))));
  await cache.put(SHELL, answer);
}

async function dropOldest(cache) {
  const keys = await cache.keys();
  await Promise.all(
    keys.slice(0, Math.max(0, keys.length - FILES_MAX)).map((key) => cache.delete(key)),
  );
}
