import type { Command } from '@oddlot/engine';
import { formatMoney } from '@oddlot/units';
import { RESTS_ON, type Basis } from './rests-on.ts';

/** Commands of all other bases follow from a request, or are computed again. */
type Believable = Exclude<Basis, 'account' | 'money' | 'replica'>;

type Sum = { commands: number; microUsdc: bigint };

/** What a number of commands is called. A new basis does not compile without its words. */
const WORDS: { readonly [Each in Believable]: string } = {
  operator: 'unsigned operator commands in block 1: compare the block hash',
  genesis: 'network parameters in block 1: compare the block hash',
  listing: 'listings, phases and results from the venue itself',
  price: 'prices from the venue itself',
  faucet: 'grants of test funds',
  deposit: 'deposits: not checked against a chain',
  payout: 'settled withdrawals: not checked against a chain',
  bridge: 'bridges: not checked against a chain',
  peg: 'address lists from the relay',
  reserves: 'reserves records: not recomputed',
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
