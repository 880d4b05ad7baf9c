import { connect, type Socket } from 'node:net';
import { answerEnd, requestBytes, type SignedRequest } from './signed-requests.ts';

/**
 * Sends prepared requests over keep-alive connections, in its own process. The generator implements
 * HTTP itself, because a client library would use more of the two cores than the venue.
 *
 * The requests of a lane share a connection and run in order, so that nonces ascend.
 */

export type Load = {
  readonly port: number;
  readonly path: string;
  readonly lanes: readonly (readonly SignedRequest['text'][])[];
  /** The text of a successful response; by default that of actions. */
  readonly success?: string;
};

export type LoadResult = {
  readonly answers: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The first response that is not a success. */
  readonly fault: string | undefined;
};

if (process.send !== undefined) {
  process.on('message', (load: Load) => void run(load).then((result) => process.send?.(result)));
}

async function run({ port, path, lanes, success = '"status":"ok"' }: Load): Promise<LoadResult> {
  const queues = lanes.map((texts) => texts.map((text) => requestBytes(path, text)));
  const sockets = await Promise.all(lanes.map(() => open(port)));
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const faults = await Promise.all(
    sockets.map((socket, lane) => drain(socket, queues[lane] ?? [], success)),
  );
  const wallMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  for (const socket of sockets) socket.destroy();
  return {
    answers: queues.reduce((sum, queue) => sum + queue.length, 0),
    wallMs,
    cpuMs: (user + system) / 1_000,
    fault: faults.find((fault) => fault !== undefined),
  };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Sends the requests in order. Resolves with the first response that is not a success. */
function drain(
  socket: Socket,
  queue: readonly Buffer[],
  success: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let next = 0;
    let received = '';
    let fault: string | undefined;
    const send = (): void => {
      const bytes = queue[next++];
      if (bytes === undefined) resolve(fault);
      else socket.write(bytes);
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = answerEnd(received);
      if (end === undefined) return;
      const isSuccess = received.startsWith('HTTP/1.1 200') && received.includes(success);
      if (!isSuccess) fault ??= received;
      received = received.slice(end);
      send();
    });
    socket.on('close', () => resolve(fault ?? 'the connection was closed'));
    send();
  });
}
