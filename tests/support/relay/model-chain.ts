import { TEST_USDC_ABI } from '@oddlot/contracts';
import { type BridgeState, bridgeWorld, ModelChain as ChainCore } from '@oddlot/testing/custody';
import { encodeFunctionData, type Hex } from 'viem';

/** Models a chain with a token, a deposit bridge and gas costs, without an EVM. */

export const TOKEN: Hex = `0x${'70'.repeat(20)}`;
export const BRIDGE: Hex = `0x${'b0'.repeat(20)}`;

/** The payers' ether, in wei. It exceeds a relay's first gas payment. */
const GAS_WEI = 1_000_000n;
const ETHER = 10n ** 24n;

export class ModelChain {
  readonly chainId: number;
  /** The token rejects transfers to these addresses. */
  readonly blocked = new Set<Hex>();
  readonly #core: ChainCore<BridgeState>;

  constructor(chainId: number, rich: readonly { readonly owner: Hex; readonly usdc: bigint }[]) {
    this.chainId = chainId;
    const start = {
      balances: new Map(rich.map(({ owner, usdc }) => [owner, usdc])),
      ether: new Map(rich.map(({ owner }) => [owner, ETHER])),
    };
    const contracts = { bridge: BRIDGE, token: TOKEN };
    const { blocked } = this;
    const world = bridgeWorld({ chainId, contracts, start, blocked, gasWei: GAS_WEI });
    this.#core = new ChainCore(world, () => 0);
    this.#core.baseFee = 1n;
  }

  get head(): number {
    return this.#core.head.number;
  }

  allowedOf(owner: Hex): bigint {
    return this.#core.head.state.allowed.get(owner) ?? 0n;
  }

  usdcOf(owner: Hex): bigint {
    return this.#core.head.state.balances.get(owner) ?? 0n;
  }

  /** Returns the deposits with at least this many confirmations. */
  deposits(confirmations: number): BridgeState['received'] {
    const received = this.#core.blocks.at(-confirmations)?.state.received ?? [];
    return received.filter(({ kind }) => kind === 'event');
  }

  /**
   * Transfers USDC from an external account in the next block, regardless of pending transactions.
   */
  pay(from: Hex, to: Hex, amount: bigint): void {
    const call = { abi: TEST_USDC_ABI, functionName: 'transfer', args: [to, amount] } as const;
    this.#core.act({ from, to: TOKEN, data: encodeFunctionData(call) });
  }

  mine(): void {
    this.#core.mine();
  }

  /**
   * Removes the newest blocks. The relay's transactions return to the pool, or are lost if
   * `isLost`; those from external accounts are mined again.
   */
  reorganise(depth: number, isLost: boolean): void {
    for (const each of this.#core.cut(depth)) {
      if (each.nonce < 0) this.#core.act(each);
      else if (!isLost) this.#core.wait(each);
    }
    while (this.head < 1) this.mine();
    this.mine();
  }

  forget(depth: number): void {
    this.#core.cut(depth);
  }

  drop(): void {
    this.#core.drop();
  }

  rpc(method: string, params: readonly unknown[]): Promise<unknown> {
    return this.#core.rpc(method, params);
  }
}
