import { type BridgeContracts, readBridge } from '@oddlot/custody/bridge-contract';
import type { ChainClient } from '@oddlot/custody/chain';
import { formatEther, type Hex } from 'viem';

/** What payouts and permits live on. */
export type Vitals = {
  readonly isPaused: boolean;
  /** What the bridge holds, in millionths of a dollar. */
  readonly bridgeMicroUsdc: string;
  /** Of the key that sends; absent without one. */
  readonly relayer: { readonly address: Hex; readonly ether: string } | undefined;
};

type VitalsWatchOptions = {
  readonly client: ChainClient;
  readonly contracts: BridgeContracts;
  readonly relayer: Hex | undefined;
  readonly now: () => number;
};

const EVERY_MS = 15_000;

/** Looks now and then, for the operator alone: nothing depends on what it last saw. */
export class VitalsWatch {
  readonly #options: VitalsWatchOptions;
  #last: Vitals | undefined = undefined;
  #atMs = -Infinity;

  constructor(options: VitalsWatchOptions) {
    this.#options = options;
  }

  /** As of the last look; undefined before the first. */
  get last(): Vitals | undefined {
    return this.#last;
  }

  async step(): Promise<void> {
    const { client, contracts, now, relayer } = this.#options;
    if (Math.abs(now() - this.#atMs) < EVERY_MS) return;
    this.#atMs = now();
    const { balance, isPaused } = await readBridge(client, contracts);
    const ether = relayer === undefined ? undefined : await client.balanceOf(relayer);
    this.#last = {
      isPaused,
      bridgeMicroUsdc: String(balance),
      relayer:
        relayer === undefined || ether === undefined
          ? undefined
          : { address: relayer, ether: formatEther(ether) },
    };
  }
}
