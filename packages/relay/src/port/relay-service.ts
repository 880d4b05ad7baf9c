import { parseServiceRequest, refusal, type WireError } from '@oddlot/host/http';
import type {
  RelayChainRow,
  RelayDepositAddress,
  RelayPegAddress,
  RelayStatus,
  RelayTransfer,
  RelayTransfers,
} from '@oddlot/sdk';
import { formatMoney } from '@oddlot/units';
import type { Hex } from 'viem';
import {
  type GivenAddress,
  type RelayBook,
  sumOf,
  type Transfer,
  type Trouble,
} from '../book/relay-book.ts';
import type { ChainTerms, RelayChain } from '../chains/relay-chain.ts';
import type { RelayKeys } from '../relay-keys.ts';
import { type CanReceive, receiversOf } from '../transfers/receivers.ts';
import type { Relay } from '../transfers/relay.ts';
import type { VenueApi, VenueFacts } from '../venue-api.ts';

type RelayServiceOptions = {
  readonly relay: Relay;
  readonly book: RelayBook;
  readonly keys: RelayKeys;
  readonly api: VenueApi;
  readonly facts: VenueFacts;
  readonly terms: readonly ChainTerms[];
  readonly chains: ReadonlyMap<string, RelayChain>;
  readonly now: () => number;
  readonly expireMs: number;
  readonly openAddressesMax: number;
  /** Registers pegs with the venue before their addresses are assigned. */
  readonly registerPegs: (addresses: readonly Hex[]) => Promise<void>;
};

export type Answered<Data> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly error: WireError };

const HTTP_BAD_REQUEST = 400;
const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/;

export class RelayService {
  readonly #options: RelayServiceOptions;
  readonly #canReceive: CanReceive;

  constructor(options: RelayServiceOptions) {
    this.#options = options;
    this.#canReceive = receiversOf(options);
  }

  chains(): RelayChainRow[] {
    const { chains, terms } = this.#options;
    return terms.map((each) => ({
      chain: each.name,
      chainId: each.chainId ?? null,
      asset: 'USDC',
      minDeposit: formatMoney(each.minDepositMicro),
      minWithdraw: formatMoney(each.minWithdrawMicro),
      withdrawFee: formatMoney(each.withdrawFeeMicro),
      enabled: chains.has(each.name),
      token: chains.get(each.name)?.token ?? null,
      rpcUrl: chains.get(each.name)?.rpcUrl ?? null,
    }));
  }

  async depositAddress(body: unknown): Promise<Answered<RelayDepositAddress>> {
    const parsed = parseServiceRequest('depositAddress', body);
    if (!parsed.ok) return parsed;
    const { accountType = 'perp', dstChain, srcChain } = parsed.request;
    const dstAddr = parsed.request.dstAddr as Hex;
    const { api, book, facts, keys } = this.#options;
    const chain = this.#chain('srcChain', srcChain);
    const error =
      this.#wrongEnd('dstChain', dstChain) ??
      ('error' in chain ? chain.error : this.#wrongAddress(dstAddr));
    if (error !== undefined || 'error' in chain) return refused(error);
    // A deposit by someone other than the owner must not open an account for a key that is bound as
    // an agent (R-agents).
    if ((await api.ownerOf(dstAddr)) !== undefined) return refused(invalid('dstAddr', BOUND));
    const { terms } = chain.found;
    // Until a chain has been read for the first time, payments to an address on it would go
    // undetected.
    const isRead = book.cursor(terms.name) !== undefined;
    const full = isRead ? this.#full() : refusal('unavailable', [], { why: NOT_READ });
    if (full !== undefined) return refused(full);
    const index = book.nextIndex('deposit');
    const given = this.#given('deposit', index, {
      address: keys.address('deposit', index),
      chain: terms.name,
      dstAddr,
      accountType,
      minMicro: String(terms.minDepositMicro),
      feeMicro: String(terms.depositFeeMicro),
    });
    book.addAddress(given);
    const { address, id } = given;
    const ends = { srcChain: terms.name, dstChain: facts.chainName, asset: 'USDC' } as const;
    return answered({ id, address, ...ends, dstAddr, ...quoted(given), status: 'waiting' });
  }

  async pegAddress(body: unknown): Promise<Answered<RelayPegAddress>> {
    const parsed = parseServiceRequest('pegAddress', body);
    if (!parsed.ok) return parsed;
    const { dstChain, srcChain } = parsed.request;
    const dstAddr = parsed.request.dstAddr.toLowerCase() as Hex;
    const { book, facts, keys, registerPegs } = this.#options;
    const chain = this.#chain('dstChain', dstChain);
    const error =
      this.#wrongEnd('srcChain', srcChain) ??
      ('error' in chain ? chain.error : this.#wrongAddress(dstAddr));
    if (error !== undefined || 'error' in chain) return refused(error);
    const full = this.#full();
    if (full !== undefined) return refused(full);
    const { terms } = chain.found;
    const index = book.nextIndex('peg');
    const given = this.#given('peg', index, {
      address: keys.address('peg', index),
      chain: terms.name,
      dstAddr,
      accountType: 'perp',
      minMicro: String(terms.minWithdrawMicro),
      feeMicro: String(terms.withdrawFeeMicro),
    });
    book.addAddress(given);
    await registerPegs([given.address, keys.address('float')]);
    const { address: pegAddress, id } = given;
    const ends = { srcChain: facts.chainName, dstChain: terms.name, asset: 'USDC' } as const;
    return answered({ id, pegAddress, ...ends, dstAddr, ...quoted(given) });
  }

  /** Lists a user's transfers. `parameters` are the URL's query parameters. */
  transfers(parameters: Iterable<readonly [string, string]>): Answered<RelayTransfers> {
    const fields: Record<string, unknown> = {};
    for (const [name, text] of parameters) {
      if (Object.hasOwn(fields, name)) {
        return refused(refusal('duplicateKey', [name], { field: name }));
      }
      const isNumber = name !== 'user' && /^(0|[1-9][0-9]{0,8})$/.test(text);
      fields[name] = isNumber ? Number(text) : text;
    }
    const parsed = parseServiceRequest('transfers', fields);
    // Page bounds are checked like other fields, because all refusals of the relay have status 400.
    if (!parsed.ok) return refused({ ...parsed.error, httpStatus: HTTP_BAD_REQUEST });
    const { page, pageSize } = parsed.request;
    const user = parsed.request.user as Hex;
    const { book, facts, now, relay } = this.#options;
    relay.hurry(user);
    const all = book
      .ofUser(user)
      .toReversed()
      .sort((a, b) => b.createMs - a.createMs);
    const items = all.slice(page * pageSize, (page + 1) * pageSize).flatMap((item) => {
      const address = 'kind' in item ? item : book.address(item.addressId);
      if (address === undefined) return [];
      const transfer = 'kind' in item ? undefined : item;
      const unconfirmed = relay.unconfirmed(address);
      return transferRow(
        { address, transfer, unconfirmed },
        { nowMs: now(), venue: facts.chainName },
      );
    });
    return answered({ items, page, pageSize, total: all.length });
  }

  #given(
    kind: GivenAddress['kind'],
    index: number,
    rest: Omit<GivenAddress, 'kind' | 'id' | 'index' | 'createMs' | 'expireMs'>,
  ): GivenAddress {
    const { expireMs, now } = this.#options;
    const nowMs = Math.floor(now());
    const id = `${kind}-${index + 1}`;
    return { kind, id, index, ...rest, createMs: nowMs, expireMs: nowMs + expireMs };
  }

  #wrongEnd(field: string, got: string): WireError | undefined {
    const { chainName } = this.#options.facts;
    if (got.toLowerCase() === chainName) return undefined;
    return invalid(field, `must be ${chainName}`, { got, allowed: [chainName] });
  }

  #chain(field: string, got: string): { found: RelayChain } | { error: WireError } {
    const { chains, terms } = this.#options;
    const name = got.toLowerCase();
    const found = chains.get(name);
    if (found !== undefined) return { found };
    const isListed = terms.some((each) => each.name === name);
    const why = isListed ? `${name} is not available on this relay` : 'unknown chain';
    return { error: invalid(field, why, { got, allowed: [...chains.keys()] }) };
  }

  #wrongAddress(dstAddr: Hex): WireError | undefined {
    if (EVM_ADDRESS.test(dstAddr) && this.#canReceive(dstAddr)) return undefined;
    return refusal('invalidAddress', [], { field: 'dstAddr', got: dstAddr }, HTTP_BAD_REQUEST);
  }

  /**
   * Returns a refusal if there are too many unexpired addresses. Each is scanned repeatedly, so
   * their number is limited.
   */
  #full(): WireError | undefined {
    const { book, now, openAddressesMax } = this.#options;
    const nowMs = now();
    const given = [...book.addresses('deposit'), ...book.addresses('peg')];
    const open = given.filter(({ expireMs }) => expireMs > nowMs).length;
    return open < openAddressesMax ? undefined : refusal('unavailable', [], { why: FULL });
  }
}

const BOUND = 'is an agent key; use the address of its account';
const NOT_READ = 'the chain is not responding';
const FULL = 'too many unused addresses';

function invalid(
  field: string,
  why: string,
  details: { readonly got?: string; readonly allowed?: readonly string[] } = {},
): WireError {
  return refusal('invalidValue', [field, why], { field, ...details });
}

function quoted({ expireMs, feeMicro, minMicro }: GivenAddress) {
  const [fee, minAmount] = [formatMoney(BigInt(feeMicro)), formatMoney(BigInt(minMicro))];
  return { minAmount, fee, expireTime: expireMs };
}

function answered<Data>(data: Data): Answered<Data> {
  return { ok: true, data };
}

function refused(error: WireError | undefined): { readonly ok: false; readonly error: WireError } {
  return { ok: false, error: error ?? refusal('internal', []) };
}

/** An address with its transfer, if any, and the amounts in unconfirmed blocks. */
type Shown = {
  readonly address: GivenAddress;
  readonly transfer: Transfer | undefined;
  readonly unconfirmed: { readonly amountMicro: bigint; readonly txHash: Hex } | undefined;
};

/** Returns a transfer as shown to users. */
function transferRow(
  { address, transfer, unconfirmed }: Shown,
  { nowMs, venue }: { readonly nowMs: number; readonly venue: string },
): RelayTransfer {
  const isDeposit = address.kind === 'deposit';
  // Unconfirmed money belongs to the transfer that is still collecting.
  const isOpen = transfer === undefined || transfer.state === 'collecting';
  const coming = isOpen ? unconfirmed : undefined;
  const amount = (transfer === undefined ? 0n : sumOf(transfer)) + (coming?.amountMicro ?? 0n);
  const status = coming === undefined ? statusOf(transfer, address, nowMs) : 'confirming';
  const trouble = status === 'relaying' ? transfer?.trouble : undefined;
  return {
    id: transfer?.id ?? address.id,
    direction: isDeposit ? 'deposit' : 'withdraw',
    srcChain: isDeposit ? address.chain : venue,
    dstChain: isDeposit ? venue : address.chain,
    asset: 'USDC',
    amount: formatMoney(amount),
    fee: formatMoney(BigInt(address.feeMicro)),
    address: address.address,
    srcTxHash: transfer?.arrivals.at(-1)?.txHash ?? coming?.txHash ?? null,
    dstTxHash: transfer?.dstTxHash ?? null,
    status,
    ...(trouble === undefined ? {} : { trouble: TROUBLES[trouble.what] }),
    createTime: transfer?.createMs ?? address.createMs,
    updateTime: transfer?.updateMs ?? address.createMs,
  };
}

/**
 * The texts shown to users. They reveal no endpoint errors or relay balances, which are only for
 * the operator.
 */
const TROUBLES: Readonly<Record<Trouble['what'], string>> = {
  float: 'Waiting for the relay to be funded on the other chain',
  chain: 'Waiting for the chain to confirm the transaction',
  bridge: 'The bridge is not accepting the transaction at the moment',
  token: 'The token rejects the recipient; the money is returned',
  venue: 'The venue is not accepting the transfer at the moment',
  receiver: 'This address cannot receive funds',
  peg:
    'The balance of the relay withdrawal address is too low; the operator of the relay ' +
    'must check it',
};

function statusOf(
  transfer: Transfer | undefined,
  { expireMs }: GivenAddress,
  nowMs: number,
): RelayStatus {
  switch (transfer?.state) {
    case undefined:
      // No payment arrived in time. Late arrivals are still processed.
      return nowMs < expireMs ? 'waiting' : 'failed';
    case 'collecting':
      return 'waiting';
    case 'paying':
    case 'refunding':
      return 'relaying';
    case 'completed':
      return 'completed';
    case 'refunded':
      return 'refunded';
  }
}
