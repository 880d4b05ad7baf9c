import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import {
  answerEnd,
  frameEnd,
  HANDSHAKE,
  postBytes,
  requestBytes,
  type SignedRequest,
} from './signed-requests.ts';

/**
 * Sends prepared requests over keep-alive connections, in its own process. The generator implements
 * HTTP itself, because a client library would use more of the two cores than the venue.
 *
 * The requests of a lane share a connection and are sent in order, so that nonces ascend.
 */

export type Load = {
  readonly port: number;
  /** The path of the requests. With `/ws`, actions are sent as WebSocket frames. */
  readonly path: string;
  readonly lanes: readonly (readonly SignedRequest['text'][])[];
  /** Text that a successful response contains. The default is the text for actions. */
  readonly success?: string;
};

export type LoadResult = {
  readonly answers: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** The first unsuccessful response. */
  readonly fault: string | undefined;
};

if (process.send !== undefined) {
  process.on('message', (load: Load) => void run(load).then((result) => process.send?.(result)));
}

async function run({ port, path, lanes, success = '"status":"ok"' }: Load): Promise<LoadResult> {
  const isSocket = path === '/ws';
  const queues = lanes.map((texts, lane) =>
    texts.map((text) => (isSocket ? postBytes(lane, text) : requestBytes(path, text))),
  );
  const sockets = await Promise.all((isSocket ? [0] : lanes).map(() => open(port)));
  if (isSocket) await shakeHands(sockets[0]!);
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const faults = isSocket
    ? [await post(sockets[0]!, queues, success)]
    : await Promise.all(sockets.map((socket, lane) => drain(socket, queues[lane] ?? [], success)));
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

/** Sends the requests in order. Resolves with the first unsuccessful response. */
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

async function shakeHands(socket: Socket): Promise<void> {
  socket.write(HANDSHAKE);
  await once(socket, 'data');
}

/**
 * Posts the requests of all lanes over one socket, with one unanswered request per lane. Resolves
 * with the first unsuccessful answer.
 */
function post(
  socket: Socket,
  queues: readonly (readonly Buffer[])[],
  success: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const next = queues.map(() => 0);
    let left = queues.reduce((sum, queue) => sum + queue.length, 0);
    let received = '';
    let fault: string | undefined;
    const send = (lane: number): void => {
      const bytes = queues[lane]![next[lane]!++];
      if (bytes !== undefined) socket.write(bytes);
    };
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      socket.cork();
      for (;;) {
        const end = frameEnd(received);
        if (end === undefined) break;
        const frame = received.slice(0, end);
        received = received.slice(end);
        // Frames without an id are skipped, because the venue also sends pings.
        const lane = /"id":(\d+)/.exec(frame)?.[1];
        if (lane === undefined) continue;
        if (!frame.includes('"status":200') || !frame.includes(success)) fault ??= frame;
        left -= 1;
        send(Number(lane));
      }
      socket.uncork();
      if (left === 0) resolve(fault);
    });
    socket.on('close', () => resolve(fault ?? 'the connection was closed'));
    for (const lane of queues.keys()) send(lane);
  });
}
