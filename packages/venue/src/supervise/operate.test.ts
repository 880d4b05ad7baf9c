import { once } from 'node:events';
import { connect } from 'node:net';
import { createOperationsPort, OPERATIONS_CONNECTIONS_MAX, readiness } from '@oddlot/host/health';
import { createLogger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import { FairQueue, PACE } from '@oddlot/host/ports';
import { afterEach, expect, test, vi } from 'vitest';
import { historyCheck, logCheck, stoppingCheck } from './venue-health.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type SettlementBalances = {
  nowMs: number;
  blockMs: number | undefined;
  stopping?: boolean;
  trouble?: string;
};

async function serve(state: SettlementBalances) {
  const metrics = new Metrics({ processMetrics: true });
  const check = readiness([
    () => stoppingCheck(state.stopping ?? false),
    () => logCheck({ nowMs: state.nowMs, lastBlockMs: state.blockMs, ageMsMax: 10_000 }),
    () => historyCheck(state.trouble),
  ]);
  const log = createLogger({ level: 'silent' });
  const server = createOperationsPort({
    hostNames: [],
    queue: new FairQueue(),
    metrics,
    readiness: check,
    log,
  });
  closers.push(() => void server.drain());
  const port = await server.listen(0, '127.0.0.1');
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return { metrics, get, port };
}

test('a venue is ready once its log has been replayed and its last block is recent', async () => {
  const state = { nowMs: 50_000, blockMs: undefined as number | undefined, stopping: false };
  const { get } = await serve(state);
  expect((await get('/healthz')).status).toBe(200);
  expect(await get('/readyz')).toMatchObject({ status: 503, text: /replaying/ });
  state.blockMs = 40_000;
  expect((await get('/readyz')).status).toBe(200);
  state.nowMs = 50_001;
  expect(await get('/readyz')).toMatchObject({ status: 503, text: /10001 ms old/ });
  state.blockMs = 50_000;
  state.stopping = true;
  expect((await get('/readyz')).status).toBe(503);
  expect((await get('/nothing')).status).toBe(404);
});

test('a venue without its history is ready and reports that the history is missing', async () => {
  const state = { nowMs: 0, blockMs: 0, trouble: 'the history database is not responding' };
  const { get } = await serve(state);
  const answer = await get('/readyz');
  const failing = [{ name: 'history', why: state.trouble }];
  expect(answer.status).toBe(200);
  expect(JSON.parse(answer.text)).toEqual({ status: 'degraded', reason: state.trouble, failing });
  state.nowMs = 10_001;
  expect(await get('/readyz')).toMatchObject({ status: 503, text: /notReady/ });
});

test('idle connections are closed when a client needs a connection for a request', async () => {
  const { get, port } = await serve({ nowMs: 0, blockMs: 0 });
  const idle = Array.from({ length: OPERATIONS_CONNECTIONS_MAX + 6 }, () =>
    connect(port, '127.0.0.1').on('error', () => undefined),
  );
  closers.push(() => idle.forEach((socket) => socket.destroy()));
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  // A connection can be closed one second after its last use, so the connections become available
  // one by one.
  for (const path of ['/healthz', '/readyz']) {
    await vi.waitFor(async () => expect((await get(path)).status).toBe(200), { timeout: 60_000 });
  }
});

test("R-requests: a client that floods the operations port is limited to a small fraction of the thread's time", async () => {
  const workMs = 1;
  const used = { ms: 0, served: 0 };
  const busy = () => {
    const startedMs = performance.now();
    while (performance.now() < startedMs + workMs);
    used.ms += performance.now() - startedMs;
    used.served += 1;
    return { ready: true, failing: [] };
  };
  const queue = new FairQueue();
  const server = createOperationsPort({
    hostNames: [],
    queue,
    metrics: new Metrics(),
    readiness: busy,
    log: createLogger({ level: 'silent' }),
  });
  closers.push(() => void server.drain());
  const port = await server.listen(0, '127.0.0.1');
  const requests = 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000);
  const flood = Array.from({ length: OPERATIONS_CONNECTIONS_MAX }, () => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.on('error', () => undefined).resume();
    socket.write(requests);
    return socket;
  });
  closers.push(() => flood.forEach((socket) => socket.destroy()));
  // This is more than a client can request at once: a request is charged as one, plus its duration.
  await vi.waitFor(() => expect(used.served).toBeGreaterThan(PACE.burst / (1 + 5 * workMs) + 20), {
    timeout: 60_000,
  });
  const from = { ...used, atMs: performance.now() };
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect((used.ms - from.ms) / (performance.now() - from.atMs)).toBeLessThan(0.25);
  expect(used.served).toBeGreaterThan(from.served);
});

test('recorded metrics appear in the scraped text', async () => {
  const { get, metrics } = await serve({ nowMs: 0, blockMs: 0 });
  metrics.request('/info', 200, 0.002);
  metrics.request('/info', 200, 0.002);
  metrics.recoverBackend('secp256k1');
  metrics.block({ height: 7, timeMs: 5000, commands: 3, trades: 2 });
  metrics.orders('filled', 1);
  metrics.logSync(0.0001);
  metrics.gauge('recover_queue', 'Jobs that wait.', () => 4);
  metrics.gauges('ws_connections', 'Open.', 'endpoint', () => ({ '/ws': 2, '/api-ws': 1 }));
  const { text } = await get('/metrics');
  expect(text).toContain('oddlot_http_requests_total{path="/info",status="200"} 2');
  expect(text).toContain('oddlot_recover_backend{backend="secp256k1"} 1');
  expect(text).toContain('oddlot_block_height 7');
  expect(text).toContain('oddlot_trades_total 2');
  expect(text).toContain('oddlot_orders_total{state="filled"} 1');
  expect(text).toContain('oddlot_recover_queue 4');
  expect(text).toContain('oddlot_ws_connections{endpoint="/ws"} 2');
  expect(text).toContain('process_cpu_user_seconds_total');
});

test('metrics are rendered at most ten times a second, and always include values recorded before the request', async () => {
  const { get, metrics } = await serve({ nowMs: 0, blockMs: 0 });
  const made = vi.spyOn(metrics.registry, 'metrics');
  const startedMs = performance.now();
  for (let height = 1; height <= 5; height++) {
    metrics.block({ height, timeMs: 5000, commands: 3, trades: 2 });
    const texts = await Promise.all([get('/metrics'), get('/metrics'), get('/metrics')]);
    for (const { text } of texts) expect(text).toContain(`oddlot_block_height ${height}`);
  }
  expect(made.mock.calls.length).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 100);
});

test('log messages are JSON lines', () => {
  const lines: string[] = [];
  const log = createLogger({ destination: { write: (line) => lines.push(line) } });
  log.warn({ err: new Error('broken') }, 'something broke');
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
  expect(line).toMatchObject({ level: 40, msg: 'something broke', err: { message: 'broken' } });
});
