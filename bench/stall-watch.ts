import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a server ahead of its program (`--import`): a timer of 1 ms that remembers how late it was at worst. It goes
 * from one connection to the socket that `STALL_SOCKET` names to the next one, which is told; else it costs nothing.
 */

const path = process.env['STALL_SOCKET'];
// Not for the programs that the server starts.
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
