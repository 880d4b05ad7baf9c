import { HYPERLIQUID_UNAVAILABLE } from '@oddlot/protocol';
import { EXCHANGE_CALLS } from './exchange/exchange-calls.ts';
import { INFO_CALLS } from './info/info-calls.ts';
import { REFUSED_QUERIES } from './info/refused-queries.ts';
import { CHANNELS } from './ws/channels.ts';
import { REFUSED_CHANNELS } from './ws/refused-channels.ts';
import type { Call } from './calls.ts';

export type ListedCall = {
  readonly name: string;
  readonly status: Call['status'] | 'refused';
  readonly note: string;
};

type Area = { readonly title: string; readonly calls: readonly ListedCall[] };

/** The reasons why actions are unavailable, written as sentences. */
const unavailable = Object.fromEntries(
  Object.entries(HYPERLIQUID_UNAVAILABLE).map(([type, why]) => [
    type,
    `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
  ]),
);

export const CALLS: readonly Area[] = [
  { title: 'Queries', calls: listed(INFO_CALLS, REFUSED_QUERIES) },
  { title: 'Actions', calls: listed(EXCHANGE_CALLS, unavailable) },
  { title: 'Channels', calls: listed(CHANNELS, REFUSED_CHANNELS) },
];

function listed(
  calls: Readonly<Record<string, Call>>,
  refused: Readonly<Record<string, string>>,
): readonly ListedCall[] {
  const served = Object.entries(calls).map(([name, { note, status }]) => ({ name, status, note }));
  const others = Object.entries(refused).map(([name, note]) => ({
    name,
    status: 'refused' as const,
    note,
  }));
  return [...served, ...others];
}
