import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A configured port, and the flag that sets it. */
export type WantedPort = { readonly port: number; readonly host: string; readonly flag: string };

/** A port that cannot be opened. The message is for operators. */
export class PortError extends Error {
  override readonly name = 'PortError';
  readonly port: number;
  /** The system's error code, such as `EADDRINUSE`. */
  readonly code: string;

  constructor({ flag, host, port }: WantedPort, cause: NodeJS.ErrnoException) {
    const { code = '', message } = cause;
    const why = code === 'EADDRINUSE' ? 'is already in use' : `cannot be opened (${message})`;
    super(`Port ${port} of ${host} ${why}. Choose another one with ${flag}.`, { cause });
    this.port = port;
    this.code = code;
  }
}

/**
 * Throws `PortError` unless all of these ports can be opened at once; port 0 means any free one.
 * Called at the beginning of a start, which may take long and creates files before it listens.
 */
export async function checkPorts(wanted: readonly WantedPort[]): Promise<void> {
  const opened: Server[] = [];
  try {
    for (const each of wanted) {
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

/** A server that never listened is closed already. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

/** An interface in the notation of URLs. */
export function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
