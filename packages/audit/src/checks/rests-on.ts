import type { Command } from '@oddlot/engine';
import { formatMoney } from '@oddlot/units';

/**
 * What each command of a log rests on, for whoever believes no venue. A new command does not compile until it has its row here.
 *
 *   account   the request that an account, or an agent of it, signed
 *   money     the same for what moves money or says who may: no sample leaves its signature out
 *   operator  the request that an admin or a deployer signed; without one only in the first block
 *   listing   the same, but a venue that shows made-up events (`exhibition`) brings them itself
 *   price     the same, but a venue may be believed its prices
 *   genesis   the first block, which whoever believes nobody has pinned
 *   replica   what this replica computed itself
 *   faucet    test money: a venue of test money gives it
 *   deposit   a log of the settlement chain
 *   payout    what the bridge says of a withdrawal
 *   bridge    the bridge that was configured
 *   peg       addresses that the relay named: they save an opening fee, and move no money
 *   reserves  what the venue says that it owes and holds: it moves no money
 *   notice    that an era comes: it moves no money
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

export const RESTS_ON: { readonly [Type in Command['type']]: Basis } = {
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

/** Commands of all other bases follow from a request, or are computed again. */
type Believable = Exclude<Basis, 'account' | 'money' | 'replica'>;

type Sum = { commands: number; microUsdc: bigint };

/** What a number of commands is called. A new basis does not compile without its words. */
const WORDS: { readonly [Each in Believable]: string } = {
  operator: 'unsigned operator commands in block 1: check the block hash',
  genesis: 'network parameters in block 1: check the block hash',
  listing: 'listings, phase changes and results set by the venue itself',
  price: 'prices set by the venue itself',
  faucet: 'grants of test funds',
  deposit: 'deposits: not checked against a chain',
  payout: 'settled withdrawals: not checked against a chain',
  bridge: 'bridges: not checked against a chain',
  peg: 'relay withdrawal addresses registered by the relay',
  reserves: 'reserves: not recomputed',
  notice: 'rules version announcements',
};

/** Commands that were applied without a signature, a computation or a chain that bears them out, by what they rest on. */
export class Believed {
  readonly #sums = new Map<Believable, Sum>();

  add(command: Command): void {
    const basis = RESTS_ON[command.type] as Believable;
    const sum = this.#sums.get(basis) ?? { commands: 0, microUsdc: 0n };
    sum.commands += 1;
    if ('amountMicroUsdc' in command) sum.microUsdc += BigInt(command.amountMicroUsdc);
    this.#sums.set(basis, sum);
  }

  /** A line for each basis that occurred; amounts are USDC. */
  get lines(): readonly string[] {
    return this.#all.map(([basis, { commands, microUsdc }]) => {
      const [what = '', ...rest] = WORDS[basis].split(':');
      const amount = microUsdc === 0n ? '' : `, ${formatMoney(microUsdc)} USDC in total`;
      return `${commands} ${[what + amount, ...rest].join(':')}`;
    });
  }

  /** For JSON: money is USDC as decimal text. */
  toJSON(): object {
    return Object.fromEntries(
      this.#all.map(([basis, { commands, microUsdc }]) => [
        basis,
        microUsdc === 0n ? { commands } : { commands, usdc: formatMoney(microUsdc) },
      ]),
    );
  }

  /** In the order of the words, so that two runs tell the same. */
  get #all(): readonly (readonly [Believable, Sum])[] {
    return (Object.keys(WORDS) as Believable[]).flatMap((basis) => {
      const sum = this.#sums.get(basis);
      return sum === undefined ? [] : [[basis, sum] as const];
    });
  }
}
