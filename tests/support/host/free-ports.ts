import { createServer } from 'node:net';

/**
 * Below what systems give to outgoing connections and to whoever listens on port 0: a port from
 * there may be somebody's between the look and the use.
 */
const [FIRST, LAST] = [10_100, 32_000];

/** Workers of a run have ports of their own, and give none out again soon: what was found free may be used only seconds later. */
const WORKERS_MAX = 16;
const SHARE = Math.floor((LAST - FIRST) / WORKERS_MAX);
const own = FIRST + SHARE * (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS_MAX);
let next = Math.floor(Math.random() * SHARE);

/** The first of `count` ports in a row that nobody has. */
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
