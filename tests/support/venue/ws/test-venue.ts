import {
  applyBlock,
  createState,
  type Authority,
  type BlockResult,
  type Command,
  type OrderRequest,
  type PerpDefinition,
  type SignedCommand,
  type State,
} from '@oddlot/engine';
import { address, hash, instrumentId, timeMs, type Address, type Hash } from '@oddlot/units';
import { defaultParameters } from '../../../../packages/replica/src/genesis-commands.ts';
import type { AppliedBlock } from '../../../../packages/replica/src/block.ts';
import type { Replica } from '../../../../packages/replica/src/replica.ts';

/** The real engine with an in-memory log, for tests of the views. */

export const [ALICE, BOB, CAROL] = ['a', 'b', 'c'].map((digit) =>
  address(`0x${digit.repeat(40)}`),
) as [Address, Address, Address];

export const BTC: PerpDefinition = {
  instrumentId: instrumentId(1),
  name: 'BTC-USDC',
  baseCurrency: 'BTC',
  quoteCurrency: 'USDC',
  szDecimals: 3,
  priceTick: 500,
  bookTicks: [500, 1000, 10_000],
  maxLimitOrderSize: 1_000_500,
  maxMarketOrderSize: 200_000,
  takerFeeE8: 45_000,
  makerFeeE8: 15_000,
  onlyIsolated: false,
  impactNotionalMicroUsdc: 20_000_000_000,
  tiers: [
    { tier: 1, minSize: 0, maxSize: 100_000, maxLeverage: 50, mmrE8: 500_000 },
    { tier: 2, minSize: 100_000, maxSize: 10_000_000, maxLeverage: 20, mmrE8: 1_000_000 },
  ],
  asset: {
    assetId: 3,
    weiDecimals: 8,
    maxSupply: '21000000',
    initialWei: '0',
    archorTokenWei: '0',
  },
  tagIds: [7],
};

export const START_MS = 1_800_000_000_000;

export const GENESIS: Command = {
  type: 'genesis',
  parameters: {
    ...defaultParameters('Oddlot-Testnet'),
    oracleStaleMs: 86_400_000,
    feeTiers: [
      { level: 0, minVolumeMicroUsdc: 0, makerFeeE8: 15_000, takerFeeE8: 45_000 },
      { level: 1, minVolumeMicroUsdc: 5_000_000_000_000, makerFeeE8: 12_000, takerFeeE8: 40_000 },
    ],
  },
};

export class TestVenue implements Pick<Replica, 'state' | 'onBlock'> {
  readonly state: State = createState();
  readonly #listeners: ((block: AppliedBlock) => void)[] = [];
  /** Nonces must be greater than the first block's time (R-nonce). */
  #nonce = START_MS + 1_000;

  /** Opens a venue with one perp at an oracle price of 100 and three funded accounts. */
  static open(): TestVenue {
    const venue = new TestVenue();
    venue.apply([GENESIS, { type: 'registerPerp', perp: BTC }]);
    venue.oracle(100);
    for (const account of [ALICE, BOB, CAROL]) venue.credit(account);
    return venue;
  }

  onBlock(listener: (block: AppliedBlock) => void): void {
    this.#listeners.push(listener);
  }

  /** Applies one block, by default one second after the previous block. */
  apply(commands: readonly Command[], afterMs = 1000): BlockResult {
    const height = this.state.height + 1;
    const time = timeMs(Math.max(this.state.timeMs, START_MS) + afterMs);
    const result = applyBlock(this.state, { height, timeMs: time, commands });
    const block: AppliedBlock = {
      height,
      timeMs: time,
      hash: fakeHash('b', height),
      parentHash: fakeHash('b', height - 1),
      stateHash: fakeHash('5', height),
      commands: commands.map((command) => ({ command })),
      result,
    };
    for (const listener of this.#listeners) listener(block);
    return result;
  }

  credit(account: Address, subAccount: 'perp' | 'outcome' = 'perp', usdc = 10_000): void {
    const amountMicroUsdc = usdc * 1_000_000;
    this.apply([{ type: 'creditFaucet', account, subAccount, amountMicroUsdc }]);
  }

  oracle(usdc: number): void {
    const prices = [{ instrumentId: BTC.instrumentId, oracle: usdc * 1000 }];
    const observedMs = timeMs(Math.max(this.state.timeMs, START_MS));
    this.apply([{ type: 'pushOracle', prices, observedMs }]);
  }

  /** Places one order. The price is in USDC, and the size is in BTC. */
  order(account: Address, order: TestOrder, afterMs?: number): BlockResult {
    return this.apply([this.orderCommand(account, order)], afterMs);
  }

  orderCommand(account: Address, { buy, sell, ...order }: TestOrder): Command {
    const { price, size } = order;
    return {
      type: 'placeOrders',
      authority: this.#authority(account),
      orders: [
        {
          instrumentId: order.instrumentId ?? BTC.instrumentId,
          isBuy: buy ?? sell !== true,
          price: Math.round(price * 1000),
          size: Math.round(size * 1000),
          reduceOnly: order.reduceOnly ?? false,
          timeInForce: order.timeInForce ?? 'gtc',
          ...(order.expireMs === undefined ? {} : { expireMs: order.expireMs }),
          ...(order.clientOrderId === undefined ? {} : { clientOrderId: order.clientOrderId }),
          ...(order.trigger === undefined ? {} : { trigger: order.trigger }),
        },
      ],
    };
  }

  signed(
    account: Address,
    command: UnsignedCommand,
    extra: Pick<Authority, 'expiresAfterMs'> = {},
  ): BlockResult {
    const authority = { ...this.#authority(account), ...extra };
    return this.apply([{ ...command, authority } as Command]);
  }

  /**
   * Advances time in five-second blocks, because the hourly premium is an average of samples taken
   * at this interval.
   */
  pass(ms: number): void {
    for (let left = ms; left > 0; left -= 5_000) this.apply([], Math.min(left, 5_000));
  }

  cancel(account: Address, orderId: number): BlockResult {
    const cancels = [{ instrumentId: BTC.instrumentId, orderId }];
    return this.apply([{ type: 'cancelOrders', authority: this.#authority(account), cancels }]);
  }

  approveAgent(account: Address, agent: Address, label: string): BlockResult {
    const authority = this.#authority(account);
    return this.apply([{ type: 'approveAgent', authority, agent, label }]);
  }

  #authority(signer: Address) {
    this.#nonce += 1;
    return { signer, nonce: this.#nonce, txHash: fakeHash('f', this.#nonce) };
  }
}

type WithoutAuthority<Of> = Of extends unknown ? Omit<Of, 'authority'> : never;
type UnsignedCommand = WithoutAuthority<SignedCommand>;

type TestOrder = Partial<OrderRequest> & {
  readonly price: number;
  readonly size: number;
  readonly buy?: true;
  readonly sell?: true;
};

function fakeHash(digit: string, number: number): Hash {
  return hash(`0x${digit}${number.toString(16).padStart(63, '0')}`);
}
