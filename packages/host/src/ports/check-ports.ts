import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

export type PortRequest = { readonly port: number; readonly host: string; readonly flag: string };

/** Thrown if a port cannot be opened. The message is for operators. */
export class PortError extends Error {
  override readonly name = 'PortError';
  readonly port: number;
  /** The system's error code, such as `EADDRINUSE`. */
  readonly code: string;

  constructor({ flag, host, port }: PortRequest, cause: NodeJS.ErrnoException) {
    const { code = '', message } = cause;
    const why = code === 'EADDRINUSE' ? 'is already in use' : `cannot be opened (${message})`;
    super(`Port ${port} of ${host} ${why}. Choose another one with ${flag}.`, { cause });
    this.port = port;
    this.code = code;
  }
}

/**
 * Throws `PortError` unless all of these ports can be opened at once; port 0 stands for any free
 * port. Called at the beginning of startup, because startup can take a long time and creates files
 * before it listens.
 */
export async function checkPorts(requests: readonly PortRequest[]): Promise<void> {
  const opened: Server[] = [];
  try {
    for (const each of requests) {
      const server = createServer((socket) => socket.destroy());
      opened.push(server);
      try {
        server.listen(each.port, each.host);
        await once(server, 'listening');
      } catch (error) {
        throw new PortError(each, error as NodeJS.ErrnoException);
      }
    }
  } finally {
    await Promise.all(opened.map((server) => closed(server)));
  }
}

/** Resolves when the server is closed. A server that never listened is already closed. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** Returns the host as written in URLs. */
export function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
