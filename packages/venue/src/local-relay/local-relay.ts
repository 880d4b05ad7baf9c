import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { pegMessage } from '@oddlot/custody/peg-message';
import type { Clock } from '@oddlot/host/clock';
import { infoRefusal, infoReply, type Reply } from '@oddlot/host/http';
import type { Logger } from '@oddlot/host/log';
import { type Network, parseServiceRequest, refusal } from '@oddlot/protocol';
import { address as toAddress } from '@oddlot/units';
import type { Hex } from 'viem';
import { type Config, hasRelay, relayPortsOf } from '../config.ts';
import type { Held, Lease } from '@oddlot/replica/lease';
import type { Replica } from '@oddlot/replica/replica';
import type { OpenedSettlement } from '@oddlot/settlement/open-settlement';
import { type ChildProcess, spawn } from 'node:child_process';
import { lowerPriority } from '@oddlot/host/operate';

type LocalRelayDependencies = {
  readonly network: Network;
  readonly money: OpenedSettlement | undefined;
  readonly replica: Replica;
  readonly clock: Clock;
  readonly lease: Lease;
  readonly log: Logger;
};

/**
 * The relay's balance of test funds on the local settlement chain, in micro-USDC. A balance below
 * `least` is increased by `more`.
 */
const FLOAT_MICRO = { least: 500_000_000_000n, more: 1_000_000_000_000n };
const FLOAT_EVERY_MS = 10_000;
/** The polling interval for local chains, which produce blocks quickly. */
const EVERY_MS = 250;
const LATE_EVERY_MS = 1_000;

/**
 * Runs the relay of a venue with test funds as a child process, and registers relay withdrawal
 * addresses.
 */
export class LocalRelay {
  readonly #config: Config;
  readonly #deps: LocalRelayDependencies;
  #held: Held | undefined = undefined;
  #url: string | undefined = undefined;
  #address: string | undefined;
  #timer: NodeJS.Timeout | undefined = undefined;

  constructor(config: Config, deps: LocalRelayDependencies) {
    this.#config = config;
    this.#deps = deps;
    this.#address = config.relayAddress;
  }

  /**
   * Returns the configured public address of the relay, by default the address of this venue's
   * relay, or undefined if there is none.
   */
  get url(): string | undefined {
    return this.#config.relayUrl ?? this.#url;
  }

  /**
   * Returns the address where the page can look for a relay. It is known in advance, unless the
   * relay uses a random free port.
   */
  get expectedUrl(): string | undefined {
    const { port } = relayPortsOf(this.#config);
    const isExpected = hasRelay(this.#config) && port !== 0;
    return this.url ?? (isExpected ? `http://127.0.0.1:${port}` : undefined);
  }

  /**
   * Starts the relay. Must be called once the venue is serving, because the relay accesses the
   * venue only through its ports.
   */
  async start(venue: { readonly url: string; readonly operationsUrl: string }): Promise<void> {
    if (!hasRelay(this.#config) || this.#deps.money === undefined) return;
    const { chainHost, data, host, hostNames, limits, logLevel, pageOrigins, trustedProxies } =
      this.#config;
    const { chainPort, port } = relayPortsOf(this.#config);
    const settings: [flag: string, value: string][] = [
      ['--venue', venue.url],
      ['--operations', venue.operationsUrl],
      ['--service-network', this.#deps.network.serviceNetwork],
      ['--data', join(data, 'relay')],
      ['--host', host],
      ['--chain-host', chainHost],
      ['--chain-port', String(chainPort)],
      ['--every-ms', String(EVERY_MS)],
      ['--late-every-ms', String(LATE_EVERY_MS)],
      ['--log-level', logLevel],
    ];
    const lists: readonly (readonly [flag: string, values: readonly string[]])[] = [
      ['--trusted-proxies', trustedProxies],
      ['--page-origins', pageOrigins],
      ['--host-names', hostNames],
    ];
    for (const [flag, values] of lists) {
      if (values.length > 0) settings.push([flag, values.join(',')]);
    }
    const switches = ['--local', limits ? '--limits' : '--no-limits'];
    const child = new RelayChild({
      log: this.#deps.log,
      flags: (lastPort) => {
        const all = [...settings, ['--port', String(lastPort ?? port)]];
        return [...switches, ...all.flat()];
      },
      onServing: ({ address, url }) => {
        this.#url = url;
        this.#address = address;
        this.#fill();
      },
    });
    const begin = async (): Promise<void> => {
      const { NEEDS_OPERATOR, RELAY_PROGRAM } = await import('@oddlot/relay');
      child.start(RELAY_PROGRAM, NEEDS_OPERATOR);
    };
    this.#held = await this.#deps.lease.hold('relay', begin, () => child.stop());
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#held?.release();
  }

  /**
   * Handles `POST /pegs` of the operations port. The request is accepted only with the relay's
   * signature.
   */
  async registerPegs(body: unknown): Promise<Reply> {
    const parsed = parseServiceRequest('registerPegs', body);
    if (!parsed.ok) return infoRefusal(parsed.error);
    const { addresses, signature } = parsed.request;
    const message = pegMessage(this.#deps.network, addresses as readonly Hex[]);
    const { recoverMessageAddress } = await import('viem');
    const signer = await recoverMessageAddress({ message, signature: signature as Hex }).catch(
      () => undefined,
    );
    if (signer === undefined || signer.toLowerCase() !== (await this.#knownAddress())) {
      return infoRefusal(refusal('signerNotPermitted', ['pegs'], {}, 403));
    }
    const { outcome } = await this.#deps.replica.propose({
      type: 'registerPegs',
      addresses: addresses.map(toAddress),
    });
    return outcome.reject === undefined
      ? infoReply({ addresses: addresses.length })
      : infoRefusal(refusal('unavailable', []));
  }

  /**
   * Returns the relay's address if it is known. The relay prints its address before it reports that
   * it is serving, and the address of an existing relay is derived from its seed. Reading the seed
   * earlier would delay startup, because the derivation takes a long time.
   */
  async #knownAddress(): Promise<string | undefined> {
    const folder = join(this.#config.data, 'relay');
    const hasDrawn = hasRelay(this.#config) && existsSync(join(folder, 'seed'));
    if (this.#address === undefined && hasDrawn) {
      const { localSeed } = await import('@oddlot/relay');
      this.#address = localSeed(folder).address('float');
    }
    return this.#address;
  }

  /**
   * Tops up the relay's test USDC on the local chain, which the relay's transfers move into the
   * bridge.
   */
  #fill(): void {
    clearTimeout(this.#timer);
    const again = (): void => {
      this.#timer = setTimeout(() => this.#fill(), FLOAT_EVERY_MS).unref();
    };
    this.#fillNow()
      .catch((error: unknown) => {
        this.#deps.log.warn(
          { err: error },
          'test funds could not be granted to the relay; retrying',
        );
      })
      .finally(again);
  }

  async #fillNow(): Promise<void> {
    const { clock, money } = this.#deps;
    const { backing, client, contracts } = money?.settlement ?? {};
    const user = this.#address as Hex | undefined;
    if (backing === undefined || client === undefined || user === undefined) return;
    const { decodeFunctionResult, encodeFunctionData } = await import('viem');
    const call = { abi: TEST_USDC_ABI, functionName: 'balanceOf' } as const;
    const to = contracts?.token ?? '0x';
    const data = await client.call({ to, data: encodeFunctionData({ ...call, args: [user] }) });
    if (decodeFunctionResult({ ...call, data }) >= FLOAT_MICRO.least) return;
    await backing.fund({ user, amount: FLOAT_MICRO.more, atMs: clock.nowMs() });
  }
}

type RelayChildOptions = {
  /** Returns the relay's flags, including its last port if it had one. */
  readonly flags: (lastPort: number | undefined) => readonly string[];
  readonly log: Logger;
  readonly onServing: (where: { readonly url: string; readonly address: string }) => void;
};

const SERVING = /Oddlot relay is serving at (\S+) \(address (0x[0-9a-f]{40})\)/;
const RESTART_MS = { least: 500, most: 30_000 };
const STOP_MS = 6_000;

/**
 * Starts the relay, and restarts it when it ends unexpectedly, unless one of its files is lost. The
 * relay always exits together with this process, because its standard input is a pipe, which the
 * system then closes.
 */
class RelayChild {
  readonly #options: RelayChildOptions;
  #child: ChildProcess | undefined = undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #program = '';
  #lastCode: number | undefined = undefined;
  #isRunning = false;
  #failures = 0;
  #port: number | undefined = undefined;

  constructor(options: RelayChildOptions) {
    this.#options = options;
  }

  /**
   * Starts the program. It is not restarted after it exits with `lastCode`, because its operator
   * must act first.
   */
  start(program: string, lastCode: number): void {
    this.#program = program;
    this.#lastCode = lastCode;
    this.#isRunning = true;
    this.#spawn();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('close', resolve));
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.stdin?.end();
    await ended;
    clearTimeout(timer);
  }

  #spawn(): void {
    const { flags, log } = this.#options;
    const args = [...process.execArgv, this.#program, ...flags(this.#port)];
    const env = { ...process.env, ODDLOT_RELAY_CHILD: '1' };
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
    lowerPriority(child.pid);
    this.#child = child;
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-1_000);
      const [, url, address] = SERVING.exec(output) ?? [];
      if (url === undefined || address === undefined) return;
      output = '';
      this.#failures = 0;
      this.#port = Number(new URL(url).port);
      log.info({ url, address }, 'relay started');
      this.#options.onServing({ url, address });
    });
    child.once('error', (error) => log.warn({ err: error }, 'relay could not be started'));
    child.stdin?.on('error', () => undefined);
    child.once('close', (code, signal) => {
      this.#child = undefined;
      if (!this.#isRunning) return;
      if (code === this.#lastCode) {
        log.error({ code }, 'relay exited and will not be restarted; see its message above');
        return;
      }
      const waitMs = Math.min(RESTART_MS.most, RESTART_MS.least * 2 ** this.#failures);
      this.#failures = Math.min(16, this.#failures + 1);
      log.warn({ code, signal, waitMs }, 'relay exited; restarting it');
      this.#timer = setTimeout(() => this.#spawn(), waitMs);
    });
  }
}
