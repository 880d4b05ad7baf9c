import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a server with `--import`: a 1 ms timer that records its longest delay between two
 * connections to the socket in `STALL_SOCKET` and reports the delay to the second one. Without a
 * connection it costs nothing.
 */

const path = process.env['STALL_SOCKET'];
// Child processes of the server are not watched.
delete process.env['STALL_SOCKET'];
if (isMainThread && path !== undefined) watch(path);

function watch(socketPath: string): void {
  let timer: NodeJS.Timeout | undefined;
  let lastMs = 0;
  let worstMs = 0;
  const look = (): void => {
    const nowMs = performance.now();
    worstMs = Math.max(worstMs, nowMs - lastMs - 1);
    lastMs = nowMs;
  };
  const server = createServer((socket) => {
    if (timer === undefined) {
      lastMs = performance.now();
      worstMs = 0;
      timer = setInterval(look, 1).unref();
    } else {
      look();
      clearInterval(timer);
      timer = undefined;
    }
    socket.end(String(worstMs));
  });
  server.listen(socketPath).unref();
}
