import { createServer } from 'node:net';

/**
 * These ports are below the operating systems' ephemeral range. Another process could take a port
 * from that range after the check.
 */
const [FIRST, LAST] = [10_100, 32_000];

/**
 * Each worker has its own range and waits as long as possible before it reuses a port, because a
 * test may bind a port seconds after the check.
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
