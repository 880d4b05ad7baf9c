import { createServer } from 'node:net';

/**
 * Below the ephemeral port range of systems, because another process may take a port from that
 * range between the check and the use.
 */
const [FIRST, LAST] = [10_100, 32_000];

/**
 * Each worker has its own range and reuses ports late, because a free port may be used only seconds
 * later.
 */
const WORKERS_MAX = 16;
const SHARE = Math.floor((LAST - FIRST) / WORKERS_MAX);
const own = FIRST + SHARE * (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS_MAX);
let next = Math.floor(Math.random() * SHARE);

export async function freePorts(count: number): Promise<number> {
  for (;;) {
    if (next + count > SHARE) next = 0;
    const first = own + next;
    next += count;
    const row = Array.from({ length: count }, (_, at) => first + at);
    if ((await Promise.all(row.map(isFree))).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
