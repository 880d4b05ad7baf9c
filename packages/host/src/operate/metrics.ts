import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** Metrics for Prometheus. Each venue has one instance, which is passed to all its components. */

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SYNC_SECONDS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 1];
const SNAPSHOT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const BLOCK_COMMANDS = [0, 1, 2, 5, 10, 25, 50, 100, 250, 500, 1000];

type MetricsText = { readonly contentType: string; readonly body: string };

const TEXT_EVERY_MS = 100;

export class Metrics {
  readonly registry = new Registry();
  readonly #registries: readonly Registry[];
  readonly #requests = counter(
    this,
    'http_requests_total',
    'HTTP requests answered, by path and status.',
    ['path', 'status'],
  );
  readonly #durations = histogram(
    this,
    'http_request_duration_seconds',
    'Time to answer an HTTP request in seconds, by path.',
    SECONDS,
    ['path'],
  );
  readonly #recoverBackend = gauge(
    this,
    'recover_backend',
    'Library used to recover signers; 1 for the one in use.',
    ['backend'],
  );
  readonly #recoverRestarts = counter(
    this,
    'recover_worker_restarts_total',
    'Signature worker threads that exited unexpectedly.',
  );
  readonly #blockHeight = gauge(this, 'block_height', 'Height of the newest block.');
  readonly #blockTime = gauge(this, 'block_time_seconds', 'Unix time of the newest block.');
  readonly #blockCommands = histogram(
    this,
    'block_commands',
    'Commands in a block.',
    BLOCK_COMMANDS,
  );
  readonly #syncSeconds = histogram(
    this,
    'log_sync_duration_seconds',
    'Time to sync the log in seconds.',
    SYNC_SECONDS,
  );
  readonly #orders = counter(this, 'orders_total', 'Orders executed, by resulting state.', [
    'state',
  ]);
  readonly #snapshotSeconds = histogram(
    this,
    'snapshot_duration_seconds',
    'Time to write a snapshot in seconds.',
    SNAPSHOT_SECONDS,
  );
  readonly #snapshotFailures = counter(
    this,
    'snapshot_failures_total',
    'Snapshots that could not be written.',
  );
  readonly #logCompactFailures = counter(
    this,
    'log_compact_failures_total',
    'Old segments that could not be compressed or removed.',
  );
  readonly #trades = counter(this, 'trades_total', 'Trades executed.');
  readonly #liquidations = counter(
    this,
    'liquidations_total',
    'Liquidation steps executed, by type.',
    ['step'],
  );
  readonly #deleveraged = counter(this, 'deleveraged_total', 'Positions closed by ADL.');
  readonly #buildInfo = gauge(
    this,
    'build_info',
    'Always 1; the labels contain the version and the main settings.',
    ['version', 'node', 'network', 'oracle', 'reference_prices'],
  );
  /**
   * Child metrics are cached, because looking one up by its labels costs more than incrementing it.
   */
  readonly #requestChildren = new Map<string, { inc: () => void }>();
  readonly #durationChildren = new Map<string, { observe: (seconds: number) => void }>();
  readonly #orderChildren = new Map<string, { inc: (count: number) => void }>();

  constructor(options: { processMetrics?: boolean } = {}) {
    // Each counter starts at 0 before the first liquidation, so that rates include the first
    // liquidation.
    for (const step of ['cancel', 'market', 'net', 'insurance', 'adl']) {
      this.#liquidations.labels(step).inc(0);
    }
    this.#registries =
      (options.processMetrics ?? true) ? [this.registry, processMetrics()] : [this.registry];
  }

  request(path: string, status: number, seconds: number): void {
    const key = `${path} ${status}`;
    let counted = this.#requestChildren.get(key);
    if (counted === undefined) {
      counted = this.#requests.labels(path, String(status));
      this.#requestChildren.set(key, counted);
    }
    counted.inc();
    let timed = this.#durationChildren.get(path);
    if (timed === undefined) {
      timed = this.#durations.labels(path);
      this.#durationChildren.set(path, timed);
    }
    timed.observe(seconds);
  }

  recoverBackend(backend: string): void {
    this.#recoverBackend.labels(backend).set(1);
  }

  recoverWorkerLost(): void {
    this.#recoverRestarts.inc();
  }

  block(block: { height: number; timeMs: number; commands: number; trades: number }): void {
    this.#blockHeight.set(block.height);
    this.#blockTime.set(block.timeMs / 1000);
    this.#blockCommands.observe(block.commands);
    if (block.trades > 0) this.#trades.inc(block.trades);
  }

  orders(state: string, count: number): void {
    let counted = this.#orderChildren.get(state);
    if (counted === undefined) {
      counted = this.#orders.labels(state);
      this.#orderChildren.set(state, counted);
    }
    counted.inc(count);
  }

  snapshotWritten(seconds: number): void {
    this.#snapshotSeconds.observe(seconds);
  }

  snapshotFailed(): void {
    this.#snapshotFailures.inc();
  }

  logCompactFailed(): void {
    this.#logCompactFailures.inc();
  }

  /** Counts one step of a liquidation (R-liquidation). */
  liquidation(step: string): void {
    this.#liquidations.labels(step).inc();
  }

  /** Counts a position closed to cover another account's loss (R-adl). */
  deleveraged(): void {
    this.#deleveraged.inc();
  }

  buildInfo(info: {
    readonly version: string;
    readonly node: string;
    readonly network: string;
    readonly oracle: string;
    readonly referencePrices: string;
  }): void {
    const { network, node, oracle, referencePrices, version } = info;
    this.#buildInfo.labels(version, node, network, oracle, referencePrices).set(1);
  }

  logSync(seconds: number): void {
    this.#syncSeconds.observe(seconds);
  }

  /** Registers a gauge that is read at each scrape, such as a queue length. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    const collected: Gauge = new Gauge({
      name: `oddlot_${name}`,
      help,
      registers: [this.registry],
      collect: async () => collected.set(await read()),
    });
  }

  /** Registers a gauge with one number per value of a label, read at each scrape. */
  gauges(name: string, help: string, label: string, read: () => Record<string, number>): void {
    const collected = new Gauge({
      name: `oddlot_${name}`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: () => {
        // Label values that no longer exist must not be reported.
        collected.reset();
        for (const [value, count] of Object.entries(read())) collected.labels(value).set(count);
      },
    });
  }

  /** The text being rendered, and the time at which the last one was rendered. */
  #next: Promise<MetricsText> | undefined = undefined;
  #madeMs = -TEXT_EVERY_MS;

  /**
   * Returns the text for a scrape, rendered after the request arrived. Rendering takes
   * milliseconds, so the text is rendered at most ten times a second, for all waiting requests
   * together.
   */
  text(): Promise<MetricsText> {
    this.#next ??= this.#later();
    return this.#next;
  }

  async #later(): Promise<MetricsText> {
    const waitMs = this.#madeMs + TEXT_EVERY_MS - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
    this.#next = undefined;
    this.#madeMs = performance.now();
    const texts = await Promise.all(this.#registries.map((each) => each.metrics()));
    return { contentType: this.registry.contentType, body: texts.join('') };
  }
}

function counter(
  owner: Metrics,
  name: string,
  help: string,
  labelNames: string[] = [],
): Counter<string> {
  return new Counter({ name: `oddlot_${name}`, help, labelNames, registers: [owner.registry] });
}

function gauge(
  owner: Metrics,
  name: string,
  help: string,
  labelNames: string[] = [],
): Gauge<string> {
  return new Gauge({ name: `oddlot_${name}`, help, labelNames, registers: [owner.registry] });
}

function histogram(
  owner: Metrics,
  name: string,
  help: string,
  buckets: number[],
  labelNames: string[] = [],
): Histogram<string> {
  return new Histogram({
    name: `oddlot_${name}`,
    help,
    buckets,
    labelNames,
    registers: [owner.registry],
  });
}

/**
 * The library computes the event loop's utilization once for every interval that has elapsed, all
 * in one batch. With a short interval, a process would be blocked for seconds after being suspended
 * for hours.
 */
const UTILIZATION_EVERY_MS = 10_000;

let collected: Registry | undefined;

/**
 * Returns Node's metrics for this process. There is only one instance per process, because its
 * timers and observers run until the process ends.
 */
function processMetrics(): Registry {
  if (collected === undefined) {
    collected = new Registry();
    const eventLoopUtilizationTimeout = UTILIZATION_EVERY_MS;
    collectDefaultMetrics({ register: collected, eventLoopUtilizationTimeout });
  }
  return collected;
}
