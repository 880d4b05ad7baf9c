import type { Command, CreditFaucetCommand, Reject, RejectReason } from '@oddlot/engine';
import type { Details, WireError } from '@oddlot/protocol';
import type { RequestCommand } from '@oddlot/replica/block';
import type { InstrumentLookup } from '../instruments.ts';
import { formatPrice, formatSize } from '../format.ts';

/** The order, cancel or single action that a rejection concerns, as the client wrote it. */
export type EntryText = {
  /** The path of the entry, such as `orders[3]`; empty if the action itself is the entry. */
  readonly field: string;
  /** The name of the instrument field in the API; `a` by default. */
  readonly instrument?: 'a' | 'asset' | 'instrumentId';
  readonly price?: string;
  readonly size?: string;
  /** The name of the size field in the API; `s` by default. */
  readonly sizePart?: 'sz';
  readonly triggerPrice?: string;
  readonly clientOrderId?: string;
  readonly orderId?: number;
  readonly expireMs?: number;
  /** The amount; set if the action moves money. */
  readonly amount?: string;
};

export type RejectContext = {
  readonly instruments: InstrumentLookup;
  readonly command?: Command['type'];
  readonly nonce?: number;
  readonly entry?: EntryText;
  /** True if the action was in a multiSig wrapper, which becomes part of the path to its fields. */
  readonly isWrapped?: boolean;
};

export type Translation<Of extends Reject> = (reject: Of, context: RejectContext) => WireError;

export type Translations<Reason extends RejectReason = RejectReason> = {
  [Each in Reason]: Translation<Extract<Reject, { reason: Each }>>;
};

/** Returns the path of the entry in the request, or of one of its fields. */
export function at({ entry }: RejectContext, part?: string): Details {
  if (entry === undefined) return {};
  const path = [entry.field, part ?? ''].filter((each) => each !== '').join('.');
  return path === '' ? {} : { field: path };
}

export function instrumentAt(context: RejectContext): Details {
  return at(context, context.entry?.instrument ?? 'a');
}

/** The commands with an address that must, or must not, have an account. */
type Addressing = Extract<
  RequestCommand | CreditFaucetCommand,
  | { readonly account: unknown }
  | { readonly agent: unknown }
  | { readonly destination: unknown }
  | { readonly vault: unknown }
>['type'];

const ADDRESS_FIELDS: Readonly<Record<Addressing, string>> = {
  approveAgent: 'agentAddress',
  creditFaucet: 'user',
  registerVault: 'vault',
  sendToken: 'destination',
  treasurySend: 'destination',
  withdraw: 'destination',
};

/** Returns the API name of the address in a command. */
export function addressField({ command }: RejectContext): string {
  const fields: Readonly<Partial<Record<Command['type'], string>>> = ADDRESS_FIELDS;
  return (command === undefined ? undefined : fields[command]) ?? 'agentAddress';
}

export function gotDetails(got: string | number | undefined): Details {
  return got === undefined ? {} : { got };
}

export function priceAt(context: RejectContext): Details {
  return { ...at(context, 'p'), ...gotDetails(context.entry?.price) };
}

export function triggerPriceAt(context: RejectContext): Details {
  return { ...at(context, 't.trigger.triggerPx'), ...gotDetails(context.entry?.triggerPrice) };
}

export function sizeAt(context: RejectContext): Details {
  return { ...at(context, context.entry?.sizePart ?? 's'), ...gotDetails(context.entry?.size) };
}

export function clientIdAt(context: RejectContext): Details {
  const isCancel = context.entry?.field.startsWith('cancels') === true;
  return { ...at(context, isCancel ? 'cloid' : 'c'), ...gotDetails(context.entry?.clientOrderId) };
}

export function nameOf({ instruments }: RejectContext, instrumentId: number): string {
  return instruments(instrumentId)?.name ?? String(instrumentId);
}

export function decimalsOf({ instruments }: RejectContext, instrumentId: number): number {
  return instruments(instrumentId)?.szDecimals ?? 0;
}

export function sizeText(context: RejectContext, instrumentId: number, size: number): string {
  return formatSize({ szDecimals: decimalsOf(context, instrumentId) }, size);
}

export function priceText(context: RejectContext, instrumentId: number, price: number): string {
  return formatPrice({ szDecimals: decimalsOf(context, instrumentId) }, price);
}
