import type { Details } from '@oddlot/protocol';
import { sentenceOf } from '../venue-access.ts';

/** Maps the venue's messages to sentence beginnings, by which clients recognise some errors. */
const BEGINNINGS: readonly (readonly [RegExp, string])[] = [
  [/^Price precision does not match/, 'Price must be divisible by tick size.'],
  [/^Size precision does not match/, 'Order has invalid size.'],
  [/^Insufficient margin/, 'Insufficient margin to place order.'],
  [
    /^Post only order would have/,
    'Post only order would have immediately matched, so it was not placed.',
  ],
  [/^Reduce only order would/, 'Reduce only order would increase position.'],
  [/^Order (?:not found|was never placed)/, 'Order was never placed, already canceled, or filled.'],
];

const NO_ACCOUNT = /^No trading account found/;
const MIN_VALUE = /^Order must have a minimum value of (\S+) USDC/;
const AGENT = /^Authorization failed: Agent (0x[0-9a-f]{40}) is not authorized/;

export type Failure = { readonly message: string; readonly details?: Details | undefined };

export function sentence({ details, message }: Failure): string {
  const agent = AGENT.exec(message)?.[1];
  if (agent !== undefined) return `User or API Wallet ${agent} does not exist.`;
  if (NO_ACCOUNT.test(message) && typeof details?.got === 'string') {
    const { got, why } = details;
    const help = why === undefined ? '' : ` ${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
    return `User or API Wallet ${got} does not exist.${help}`;
  }
  const min = MIN_VALUE.exec(message)?.[1];
  if (min !== undefined) return `Order must have minimum value of $${min}.`;
  const beginning = BEGINNINGS.find(([pattern]) => pattern.test(message))?.[1];
  return `${beginning ?? sentenceOf({ message, details })}${nearestText(details)}`;
}

/**
 * For a value that is off the grid, returns a sentence that gives the nearest valid values;
 * otherwise an empty string.
 */
function nearestText(details: Details | undefined): string {
  const nearest = (details?.nearest ?? []).filter((value) => value !== null);
  return nearest.length === 0 ? '' : ` The nearest valid values are ${nearest.join(' and ')}.`;
}
