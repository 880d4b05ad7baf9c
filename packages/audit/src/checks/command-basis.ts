import type { Command } from '@oddlot/engine';
import { formatMoney } from '@oddlot/units';

/**
 * The basis of each command of a log, for an independent verifier. If a new command has no row
 * here, the program does not compile.
 * - `account`: a request signed by an account or by its agent
 * - `money`: like `account`, for commands that move money or change permissions; their signatures
 *   are always verified
 * - `operator`: a request signed by an admin or a deployer; unsigned in the first block only
 * - `listing`: like `operator`, but a venue with demo events (`exhibition`) logs them itself
 * - `price`: like `operator`, but the policy may accept the venue's prices
 * - `genesis`: the first block, whose hash the verifier has pinned
 * - `replica`: computed by the replica itself
 * - `faucet`: test money, on a venue with test money only
 * - `deposit`: an event of the settlement chain
 * - `payout`: the bridge's result of a withdrawal
 * - `bridge`: the configured bridge
 * - `peg`: withdrawal addresses of the relay, which save an opening fee and move no money
 * - `reserves`: the venue's statement of its liabilities and assets, which moves no money
 * - `notice`: the announcement of a rules version, which moves no money
 */
type Basis =
  | 'account'
  | 'money'
  | 'operator'
  | 'listing'
  | 'price'
  | 'genesis'
  | 'replica'
  | 'faucet'
  | 'deposit'
  | 'payout'
  | 'bridge'
  | 'peg'
  | 'reserves'
  | 'notice';

export const COMMAND_BASIS: { readonly [Type in Command['type']]: Basis } = {
  placeOrders: 'account',
  modifyOrder: 'account',
  cancelOrders: 'account',
  cancelByClientId: 'account',
  cancelAll: 'account',
  scheduleCancel: 'account',
  reversePosition: 'account',
  operateOutcome: 'account',
  updateLeverage: 'account',
  updateMarginMode: 'account',
  updateIsolatedMargin: 'account',
  updatePositionMode: 'account',
  approveAgent: 'money',
  approveBuilder: 'money',
  revokeBuilder: 'money',
  convertToMultiSig: 'money',
  sendToken: 'money',
  withdraw: 'money',
  claimBuilderRewards: 'money',
  registerPerp: 'operator',
  setPerp: 'operator',
  setFeeTiers: 'operator',
  setGate: 'operator',
  registerVault: 'operator',
  treasurySend: 'operator',
  setOperators: 'operator',
  pushOracle: 'price',
  pushPrice: 'price',
  registerEvent: 'listing',
  registerMarket: 'listing',
  registerSeries: 'listing',
  setTrading: 'listing',
  resolveMarket: 'listing',
  genesis: 'genesis',
  attest: 'replica',
  openEra: 'replica',
  announceEra: 'notice',
  creditFaucet: 'faucet',
  creditDeposit: 'deposit',
  settleWithdrawal: 'payout',
  openBridge: 'bridge',
  registerPegs: 'peg',
  publishReserves: 'reserves',
};

/** Commands with any other basis are derived from a request or recomputed. */
type Unverified = Exclude<Basis, 'account' | 'money' | 'replica'>;

type Sum = { commands: number; microUsdc: bigint };

/** The text for a number of commands. If a new basis has no text, the program does not compile. */
const WORDS: { readonly [Each in Unverified]: string } = {
  operator: 'unsigned operator commands in block 1 (check the block hash)',
  genesis: 'network parameters in block 1 (check the block hash)',
  listing: 'listings, phase changes and results set by the venue itself',
  price: 'prices set by the venue itself',
  faucet: 'grants of test funds',
  deposit: 'deposits (not checked against a chain)',
  payout: 'settled withdrawals (not checked against a chain)',
  bridge: 'bridges (not checked against a chain)',
  peg: 'relay withdrawal addresses registered by the relay',
  reserves: 'proofs of reserves (not recomputed)',
  notice: 'rules version announcements',
};

/**
 * The commands, by basis, that were applied without being verified by a signature, a computation or
 * a chain.
 */
export class UnverifiedCommands {
  readonly #sums = new Map<Unverified, Sum>();

  add(command: Command): void {
    const basis = COMMAND_BASIS[command.type] as Unverified;
    const sum = this.#sums.get(basis) ?? { commands: 0, microUsdc: 0n };
    sum.commands += 1;
    if ('amountMicroUsdc' in command) sum.microUsdc += BigInt(command.amountMicroUsdc);
    this.#sums.set(basis, sum);
  }

  /** Returns one line per basis that occurred, with amounts in USDC. */
  get lines(): readonly string[] {
    return this.#all.map(([basis, { commands, microUsdc }]) => {
      const amount = microUsdc === 0n ? '' : `, ${formatMoney(microUsdc)} USDC in total`;
      return `${WORDS[basis]}: ${commands}${amount}`;
    });
  }

  /** Returns the JSON form, with amounts in USDC as decimal text. */
  toJSON(): object {
    return Object.fromEntries(
      this.#all.map(([basis, { commands, microUsdc }]) => [
        basis,
        microUsdc === 0n ? { commands } : { commands, usdc: formatMoney(microUsdc) },
      ]),
    );
  }

  /** Returns the entries in a fixed order, so that the output is reproducible. */
  get #all(): readonly (readonly [Unverified, Sum])[] {
    return (Object.keys(WORDS) as Unverified[]).flatMap((basis) => {
      const sum = this.#sums.get(basis);
      return sum === undefined ? [] : [[basis, sum] as const];
    });
  }
}
