import type { Client } from '@oddlot/sdk';
import { compare, isDecimal, roundTo, sign, subtract } from '../../../lib/decimal.ts';
import type { Purse } from '../use-purse.ts';
import type { Draft, Ticket } from './draft.ts';
import { number, usdc } from '../../../lib/format.ts';

type Wanted = { readonly ticket: Ticket; readonly draft: Draft; readonly purse: Purse };

/** What must come from the other part of the account before an order can be paid. */
type ToMove = {
  readonly owner: Client;
  readonly missing: string;
  readonly perpCash: string;
  /** What is moved is a multiple of it; unsaid, in larger steps. */
  readonly step?: string | undefined;
};

const CENT = '0.01';

/** Undefined where nothing is missing, or where there is nobody or nothing to move. */
export function moneyToMove(wanted: Wanted): ToMove | undefined {
  const missing = missingOf(wanted);
  if (missing === undefined) return undefined;
  return movable(wanted.purse, missing, isBySpending(wanted) ? CENT : undefined);
}

export function movable(
  { perpCash, session }: Purse,
  missing: string,
  step?: string,
): ToMove | undefined {
  const owner = session?.owner;
  if (owner === undefined || !isDecimal(perpCash) || sign(perpCash) <= 0) return undefined;
  return { owner, missing, perpCash, step };
}

/** Money that a purchase lacks: of what was said to be spent, or of what its shares cost at the worst. */
function missingOf(wanted: Wanted): string | undefined {
  const { reserve } = wanted.draft;
  const { cash } = wanted.purse;
  if (reserve === undefined || !isDecimal(cash) || compare(reserve, cash) <= 0) return undefined;
  return subtract(isBySpending(wanted) ? wanted.ticket.amount : reserve, cash);
}

/** Whether all that was said to be spent can be; where the book has less, only what it has must be paid. */
function isBySpending({ draft, ticket }: Wanted): boolean {
  return ticket.unit === 'money' && draft.quote?.isWhole !== false;
}

/** The most that can be put in, in words: money in whole cents that are there; undefined where there is nothing. */
export function mostOf(most: string | undefined, unit: 'money' | 'shares'): string | undefined {
  if (!isDecimal(most)) return undefined;
  const whole = unit === 'money' ? roundTo(most, 2, 'down') : most;
  if (sign(whole) <= 0) return undefined;
  return unit === 'money' ? usdc(whole) : number(whole);
}
