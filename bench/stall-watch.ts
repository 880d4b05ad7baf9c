import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Measures stalls of a server into which it is preloaded with `--import`. After a connection to the
 * socket in `STALL_SOCKET`, a 1 ms timer records its longest delay and reports it to the next
 * connection. The timer does not run before the first connection.
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
