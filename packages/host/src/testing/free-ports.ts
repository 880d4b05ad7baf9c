import { createServer } from 'node:net';

/**
 * Below what systems give to outgoing connections and to whoever listens on port 0: a port from
 * there may be somebody's between the look and the use.
 */
const [FIRST, LAST] = [10_000, 32_000];

/** The first of `count` ports in a row that nobody has. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const first = FIRST + Math.floor(Math.random() * (LAST - FIRST - count));
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
