import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_USDC_ABI } from '@oddlot/contracts';
import { type Address, address, hash } from '@oddlot/units';
import { encodeFunctionData, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { TestSettlement } from '../packages/venue/src/testing/settlement.ts';
import { PayoutWorker } from '../packages/venue/src/settlement/payout/payout-worker.ts';
import { Relayer } from '../packages/venue/src/settlement/relayer.ts';
import { keyValidator } from '../packages/venue/src/settlement/validators.ts';
import { atLeast, median, same, show, sized, type Row, type Scale } from './report.ts';

/**
 * Money in and out on the embedded chain. The limit of both is how many transactions the chain itself runs and
 * puts on disk: deposits and payouts per second are told as shares of that, measured in the same run.
 */

const USDC = 1_000_000n;
const CHAIN_ID = 421_614;
const DEPOSIT_SHARE = 0.5;
/** Payouts go in batches, several to a transaction. */
const PAYOUT_SHARE = 1;

export async function bridgeSection(scale: Scale): Promise<readonly Row[]> {
  const count = sized(scale, { full: 600, quick: 200, tiny: 12 });
  const rounds = sized(scale, { full: 3, quick: 2, tiny: 1 });
  const plain: number[] = [];
  const deposits: number[] = [];
  const payouts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const bank = await Bank.open();
    try {
      plain.push(await bank.transfers(count));
      deposits.push(await bank.deposits(count));
      payouts.push(await bank.payouts(count));
    } finally {
      await bank.close();
    }
  }
  const limit = median(plain);
  const of = `against ${show(limit)} plain transfers of a token a second on the same chain`;
  return [
    atLeast(
      'deposits credited',
      `${show(median(deposits))} a second, from the transaction to the account, ${of}`,
      median(deposits) / limit,
      DEPOSIT_SHARE,
    ),
    atLeast(
      'withdrawals paid',
      `${show(median(payouts))} a second, from the engine to the destination and settled, ${of}`,
      median(payouts) / limit,
      PAYOUT_SHARE,
    ),
  ];
}

/** A chain with a bridge, an engine, and who works between them. */
class Bank {
  readonly #settlement: TestSettlement;
  readonly #directory: string;

  private constructor(settlement: TestSettlement) {
    this.#settlement = settlement;
    this.#directory = mkdtempSync(join(tmpdir(), 'oddlot-bench-bridge-'));
  }

  static async open(): Promise<Bank> {
    return new Bank(await TestSettlement.open());
  }

  async close(): Promise<void> {
    await this.#settlement.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** The limit: transactions that only move a token, signed before. */
  async transfers(count: number): Promise<number> {
    const { chain, contracts, keys } = this.#settlement;
    const account = privateKeyToAccount(keys.relayer);
    const data = encodeFunctionData({
      abi: TEST_USDC_ABI,
      functionName: 'approve',
      args: [contracts.bridge, USDC],
    });
    const raws: Hex[] = [];
    for (let nonce = 0; nonce < count; nonce++) {
      raws.push(
        await account.signTransaction({
          type: 'eip1559',
          chainId: CHAIN_ID,
          to: contracts.token,
          data,
          gas: 200_000n,
          maxFeePerGas: 10n ** 10n,
          maxPriorityFeePerGas: 1n,
          nonce,
        }),
      );
    }
    return perSecond(count, async () => {
      for (const raw of raws) await chain.rpc('eth_sendRawTransaction', [raw]);
    });
  }

  async deposits(count: number): Promise<number> {
    const { chain } = this.#settlement;
    const watcher = this.#settlement.watcher(this.#settlement.client(1));
    while (await watcher.step()) continue;
    const raws: Hex[] = [];
    for (let at = 0; at < count; at++) raws.push(await this.#settlement.transfer(0, 5n * USDC, at));
    const before = this.#settlement.credited;
    const rate = await perSecond(count, async () => {
      const sending = (async () => {
        for (const raw of raws) await chain.rpc('eth_sendRawTransaction', [raw]);
      })();
      const target = before + BigInt(count) * 5n * USDC;
      while (this.#settlement.credited < target) await watcher.step();
      await sending;
    });
    same('credited', this.#settlement.credited - before, BigInt(count) * 5n * USDC);
    return rate;
  }

  async payouts(count: number): Promise<number> {
    const { contracts, keys, replica } = this.#settlement;
    const client = this.#settlement.client(1);
    const user = address(`0x${'be'.repeat(20)}`);
    replica.credit(user, 10 * count + 1_000);
    for (let at = 0; at < count; at++) replica.apply(withdrawal(user, replica.state.timeMs + at));
    const now = (): number => this.#settlement.nowMs;
    const relayer = new Relayer({
      client,
      account: privateKeyToAccount(keys.relayer),
      file: join(this.#directory, 'relayer.jsonl'),
      now,
    });
    const domain = { chainId: CHAIN_ID, bridge: contracts.bridge };
    const worker = new PayoutWorker({
      client,
      contracts,
      fromBlock: 0,
      file: join(this.#directory, 'payouts.jsonl'),
      state: () => replica.state,
      propose: (command) => replica.propose(command),
      now,
      relayer,
      validators: keys.validators.map((key) => keyValidator(key, domain)),
      patienceMs: 60_000,
      retryMs: 1,
    });
    const rate = await perSecond(count, async () => {
      while (replica.state.withdrawals.size > 0) {
        await relayer.step();
        await worker.step();
        this.#settlement.nowMs += 10;
      }
    });
    same('paid', replica.state.withdrawals.size, 0);
    worker.close();
    relayer.close();
    return rate;
  }
}

function withdrawal(user: Address, nonce: number) {
  const txHash = hash(`0x${nonce.toString(16).padStart(64, '0')}`);
  const destination = address(`0x${(0xde57 + (nonce % 1_000)).toString(16).padStart(40, '0')}`);
  const authority = { signer: user, nonce, txHash };
  return { type: 'withdraw', authority, destination, amountMicroUsdc: 5_000_000 } as const;
}

/** Work of so many parts by the clock: most of it waits for the disk. */
async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const before = performance.now();
  await work();
  return (count * 1_000) / (performance.now() - before);
}
