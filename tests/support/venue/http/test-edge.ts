import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { HttpEdge, type HttpEdgeOptions, RateLimiter } from '@oddlot/host/http';
import { createLogger } from '@oddlot/host/log';
import { Metrics } from '@oddlot/host/metrics';
import { clientIpFinder } from '@oddlot/host/ports';
import { NETWORKS } from '@oddlot/protocol';
import { downRefusal } from '../../../../packages/venue/src/compose/create-edges.ts';
import { Receipts, type ReceiptsOptions } from '../../../../packages/history/src/receipts.ts';
import { instrumentLookup } from '../../../../packages/translate/src/action-to-command.ts';
import { AdmissionGuard } from '../../../../packages/api/src/admission-guard.ts';
import { createRecoverer } from '../../../../packages/api/src/recoverer.ts';
import type { ReadJob } from '../../../../packages/api/src/read-request.ts';
import { localReader } from './local-reader.ts';
import { accountStatusEndpoint } from '../../../../packages/api/src/http/create-endpoints.ts';
import type { RequestCommand } from '../../../../packages/replica/src/block.ts';
import {
  exchangeEndpoint,
  hyperliquidEndpoint,
} from '../../../../packages/api/src/http/exchange-endpoint.ts';
import { signerExplainer } from '../../../../packages/api/src/http/explain-unknown-signer.ts';
import {
  exportEndpoints,
  type ExportOptions,
} from '../../../../packages/api/src/http/exports/export-endpoints.ts';
import { Faucet } from '../../../../packages/api/src/http/faucet.ts';
import { infoEndpoint } from '../../../../packages/api/src/http/info-endpoint.ts';
import { MarketData } from '../../../../packages/translate/src/read-models/market-data.ts';
import { TestHistory } from './test-history.ts';
import { TestReplica } from './test-replica.ts';

/** Runs the whole HTTP edge on its own port. Signers are recovered on this thread. */

const recoverer = await createRecoverer(NETWORKS.testnet);

export type TestEdgeOptions = {
  readonly onRefused?: (command: RequestCommand, reason: string) => void;
  readonly isLimited?: boolean;
  readonly confirmTimeoutMs?: number;
  readonly trustedProxies?: readonly string[];
  readonly receipts?: Partial<ReceiptsOptions>;
  readonly edge?: Partial<HttpEdgeOptions>;
  readonly guard?: AdmissionGuard;
  readonly exports?: Partial<ExportOptions>;
};

export type TestReply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // Tests read responses of any shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly json: any;
};

export async function startEdge(options: TestEdgeOptions = {}) {
  const replica = new TestReplica();
  const now = () => replica.nowMs;
  const counts = { recovered: 0, hashed: 0 };
  const { learn, read: readHere } = localReader(recoverer);
  const isUnknown = new Set<string>();
  const read = async (text: string, job: ReadJob) => {
    const answer = await readHere(text, job);
    // The edge reads a request a second time once it has learned a scale it did not know. The two
    // reads count as one.
    if ('envelope' in answer && answer.txHash !== undefined && !isUnknown.delete(text)) {
      counts[answer.envelope.nonce <= job.nonceAfter ? 'hashed' : 'recovered']++;
      if (
        answer.command?.scales.some(
          ([id, scale]) =>
            scale === undefined && instrumentLookup(() => replica.state)(id) !== undefined,
        )
      )
        isUnknown.add(text);
    }
    return answer;
  };
  const pool = {
    read,
    learn,
    recover: (text: string) => Promise.resolve(recoverer.recover(text)),
    explain: (text: string) => Promise.resolve(recoverer.explain(text)),
  };
  const receipts = new Receipts({
    instruments: instrumentLookup(() => replica.state),
    ...options.receipts,
  });
  const limits = { info: 50, exchange: 10, explainSignature: 5, simulate: 10 };
  const limiter = new RateLimiter({ limits, now, enabled: options.isLimited ?? false });
  const { guard = new AdmissionGuard(), onRefused = () => undefined } = options;
  const faucet = new Faucet({ replica, now, restricted: () => guard.restriction()?.error });
  replica.onBlock((block) => receipts.onBlock(block));
  replica.onBlock((block) => faucet.grants.onBlock(block));
  const markets = new MarketData(() => replica.state);
  replica.onBlock((block) => markets.onBlock(block));
  const history = new TestHistory(replica, markets);
  replica.onBlock((block) => history.onBlock(block));
  const network = NETWORKS.testnet;
  const confirmTimeoutMs = options.confirmTimeoutMs ?? 2000;
  const errors: string[] = [];
  const log = createLogger({ level: 'warn', destination: { write: (line) => errors.push(line) } });
  const metrics = new Metrics({ processMetrics: false });
  const settings = {
    bridgeContractAddress: `0x${'b'.repeat(40)}`,
    usdcContractAddress: `0x${'c'.repeat(40)}`,
    settlementChainId: 421_614,
    chainName: 'oddlot',
  };
  const shared = { replica, receipts, network, now };
  const status = accountStatusEndpoint({ replica });
  const exchange = { ...shared, pool, confirmTimeoutMs, guard, onRefused };
  const explainSigner = signerExplainer({ pool, state: () => replica.state });
  const edge = new HttpEdge({
    endpoints: {
      '/exchange': exchangeEndpoint(exchange),
      '/hyperliquid': hyperliquidEndpoint(exchange, explainSigner),
      '/info': infoEndpoint({
        ...shared,
        ...(options.edge?.work === undefined ? {} : { work: options.edge.work }),
        pool,
        limiter,
        settings,
        faucet,
        markets,
        history,
      }),
      '/account-status': status,
      '/account': status,
      '/request-fund': faucet.endpoint(),
      ...exportEndpoints({ history, replica, markets, ...options.exports }),
    },
    limiter,
    clientIp: clientIpFinder(options.trustedProxies ?? []),
    visitors: 'any',
    log,
    metrics,
    downRefusal,
    ...options.edge,
  });
  const port = await edge.listen(0, '127.0.0.1');
  const agent = new Agent({ keepAlive: true });
  const send = sender(port, agent);
  const close = async (): Promise<void> => {
    agent.destroy();
    await edge.drain();
    await history.close();
  };
  return {
    replica,
    receipts,
    limiter,
    faucet,
    history,
    edge,
    port,
    agent,
    metrics,
    errors,
    counts,
    send,
    close,
  };
}

export type TestEdge = Awaited<ReturnType<typeof startEdge>>;

type SendOptions = {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
};

/**
 * Returns a function that sends requests with Node's HTTP client, which adds no headers and exposes
 * the connection.
 */
export function sender(port: number, agent: Agent) {
  return (path: string, body?: string | Buffer | object, options: SendOptions = {}) =>
    new Promise<TestReply>((resolve, reject) => {
      const method = options.method ?? 'POST';
      const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
      const bytes = Buffer.from(isRaw ? (body ?? '') : JSON.stringify(body));
      const headers = {
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
        ...(bytes.length > 0 ? { 'content-length': String(bytes.length) } : {}),
        ...options.headers,
      };
      const target = { port, host: '127.0.0.1', path, method, headers };
      const sent = httpRequest({ ...target, agent: options.agent ?? agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const isJson = response.headers['content-type'] === 'application/json';
          const json: unknown = text === '' || !isJson ? undefined : JSON.parse(text);
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
      });
      sent.on('error', reject);
      sent.end(bytes.length > 0 ? bytes : undefined);
    });
}
