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
import type { Held, Lease } from '../lease/lease.ts';
import { RelayChild } from './relay-child.ts';
import type { Replica } from '../replica/replica.ts';
import type { OpenedSettlement } from '../settlement/open-settlement.ts';

type LocalRelayDependencies = {
  readonly network: Network;
  readonly money: OpenedSettlement | undefined;
  readonly replica: Replica;
  readonly clock: Clock;
  readonly lease: Lease;
  readonly log: Logger;
};

/** Of the relay's play money on the local settlement chain: filled up when below, in micro-USDC. */
const FLOAT_MICRO = { least: 500_000_000_000n, more: 1_000_000_000_000n };
const FLOAT_EVERY_MS = 10_000;
/** Chains of play money are near and quick. */
const EVERY_MS = 250;
const LATE_EVERY_MS = 1_000;

/** The venue's side of its relay: a child process where money is play money, and who may name pegs. */
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

  /** Shown in settings: as configured, otherwise where the relay of this venue serves; undefined while there is none. */
  get url(): string | undefined {
    return this.#config.relayUrl ?? this.#url;
  }

  /** Where the page may look for a relay; known before that serves, unless it takes any free port. */
  get expectedUrl(): string | undefined {
    const { port } = relayPortsOf(this.#config);
    const isExpected = hasRelay(this.#config) && port !== 0;
    return this.url ?? (isExpected ? `http://127.0.0.1:${port}` : undefined);
  }

  /** Once the venue serves: the relay knows it by its doors alone. */
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

  /** `POST /pegs` of the operations port: accepted when the relay has signed it. */
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
   * The relay names its own address before it says that it serves: then it is made out of the seed that it has drawn. Not
   * earlier, since that takes long, and a start waits for nothing that nobody has asked for.
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

  /** Test USDC for the relay on the local chain; each time it is handed on, it fills the bridge. */
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
