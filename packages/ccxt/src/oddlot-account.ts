import type { LedgerUpdate, Withdrawal } from '@oddlot/sdk';
import {
  tokenSend,
  updateIsolatedMargin,
  updateLeverage,
  updateMarginMode,
  updatePositionMode,
  withdraw3,
} from '@oddlot/sdk/actions';
import { BadRequest, type Dict, NotSupported, Precise } from 'ccxt';
import { OddlotMarkets } from './oddlot-markets.ts';
import { bySymbol, marketsOf, namedMarket, rowsOf, spanOf, USDC } from './parts.ts';
import {
  balanceOf,
  depositOf,
  fundingOf,
  ledgerEntryOf,
  positionOf,
  transferOf,
  withdrawalOf,
} from './perp-account.ts';
import { tradingFeeOf } from './perp-markets.ts';

type SubAccount = 'perp' | 'outcome';

/** The names of the sub-accounts in ccxt. */
const SUB_ACCOUNTS: Readonly<Record<string, SubAccount>> = {
  perp: 'perp',
  perps: 'perp',
  swap: 'perp',
  outcome: 'outcome',
  prediction: 'outcome',
};

const LEDGER_MAX = 2000;
const WITHDRAWALS_MAX = 200;
/** How many of the newest withdrawals are searched for a new one. */
const NEW_WITHDRAWALS = 10;
/** The factor of margin amounts, which are sent in micro-USDC. */
const MICRO = '1000000';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Provides an account's balances, positions, payments and settings. */
export class OddlotAccount extends OddlotMarkets {
  override describe(): Dict {
    return this.deepExtend(super.describe(), {
      has: {
        addMargin: true,
        fetchBalance: true,
        fetchDeposits: true,
        fetchDepositsWithdrawals: true,
        fetchFundingHistory: true,
        fetchLedger: true,
        fetchLeverage: true,
        fetchMarginMode: true,
        fetchPosition: true,
        fetchPositionMode: true,
        fetchPositions: true,
        fetchTradingFee: true,
        fetchTradingFees: true,
        fetchTransfers: true,
        fetchWithdrawals: true,
        reduceMargin: true,
        setLeverage: true,
        setMarginMode: true,
        setPositionMode: true,
        transfer: true,
        withdraw: true,
      },
    });
  }

  /**
   * `params.type` or `params.accountType` selects the sub-account: `swap` (default) or `outcome`.
   */
  async fetchBalance(params: Dict = {}): Promise<Dict> {
    const accountType = this.#subAccount(params['accountType'] ?? params['type'] ?? 'perp');
    const user = this.link.user(params);
    return balanceOf(this, await this.link.info({ type: 'clearinghouseState', user, accountType }));
  }

  async fetchPositions(symbols?: string[], params: Dict = {}): Promise<Dict[]> {
    await this.loadMarkets();
    const selected = this.marketSymbols(symbols);
    const user = this.link.user(params);
    const state = await this.link.info({ type: 'clearinghouseState', user });
    return state.assetPositions
      .map((row) => positionOf(this, row))
      .filter(({ symbol }) => selected === undefined || selected.includes(String(symbol)));
  }

  /** In hedge mode, `params.side` selects the `long` or the `short` position. */
  async fetchPosition(symbol: string, params: Dict = {}): Promise<Dict | undefined> {
    const positions = await this.fetchPositions([symbol], params);
    const side = params['side'];
    return positions.find((each) => side === undefined || each['side'] === side);
  }

  async fetchFundingHistory(
    symbol?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const user = this.link.user(params);
    const coin = symbol === undefined ? {} : { coin: this.market(symbol).id };
    const query = { type: 'userFundings', user, ...coin, ...spanOf(this, since, params) } as const;
    const rows = await rowsOf(
      async (page) => {
        const { data, nextCursor } = await this.link.page({ ...query, ...page });
        return { data: data.data, nextCursor: nextCursor ?? null };
      },
      { limit, max: LEDGER_MAX, since },
    );
    const fundings = rows.map((row) => fundingOf(this, row)).reverse();
    return this.filterBySinceLimit(fundings, since, limit, 'timestamp');
  }

  async fetchLedger(
    _code?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    await this.loadMarkets();
    const account = this.#subAccount(params['accountType'] ?? 'perp');
    const entries = await this.#ledger(since, limit, params, (row) =>
      ledgerEntryOf(this, row, account),
    );
    return entries;
  }

  async fetchTransfers(
    _code?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    return this.#ledger(since, limit, params, (row) => transferOf(this, row));
  }

  async fetchDeposits(
    _code?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const user = this.link.user(params);
    return this.#ledger(since, limit, params, (row) =>
      ['deposit', 'faucet'].includes(row.delta.type) ? depositOf(this, row, user) : undefined,
    );
  }

  async fetchWithdrawals(
    _code?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const rows: Withdrawal[] = [];
    const user = this.link.user(params);
    let before: { before?: number } = {};
    for (;;) {
      const query = { type: 'withdrawals', user, limit: WITHDRAWALS_MAX, ...before } as const;
      const page = await this.link.info(query);
      rows.push(...page);
      const last = page.at(-1);
      const isEnough = since === undefined || (last !== undefined && last.time < since);
      if (page.length < WITHDRAWALS_MAX || last === undefined || isEnough) break;
      before = { before: last.id };
    }
    const withdrawals = rows.map((row) => withdrawalOf(this, row)).reverse();
    return this.filterBySinceLimit(withdrawals, since, limit, 'timestamp', since === undefined);
  }

  async fetchDepositsWithdrawals(
    code?: string,
    since?: number,
    limit?: number,
    params: Dict = {},
  ): Promise<Dict[]> {
    const [deposits, withdrawals] = await Promise.all([
      this.fetchDeposits(code, since, undefined, params),
      this.fetchWithdrawals(code, since, undefined, params),
    ]);
    const all = this.sortBy([...deposits, ...withdrawals], 'timestamp');
    return this.filterBySinceLimit(all, since, limit, 'timestamp', since === undefined);
  }

  async fetchTradingFees(params: Dict = {}): Promise<Dict> {
    await this.loadMarkets();
    const user = this.link.user(params);
    const markets = marketsOf(this, params['symbols'] as string[] | undefined);
    const [rates, details] = await Promise.all([
      this.link.info({ type: 'feeTierRates', user }),
      this.detailsOf(markets),
    ]);
    const fees = markets.map(({ id }) => tradingFeeOf(this, details.get(id)!, rates));
    return bySymbol(this, fees, undefined);
  }

  async fetchTradingFee(symbol: string, params: Dict = {}): Promise<unknown> {
    await this.loadMarkets();
    const fees = await this.fetchTradingFees({ ...params, symbols: [symbol] });
    return fees[this.market(symbol).symbol];
  }

  async fetchLeverage(symbol: string, params: Dict = {}): Promise<Dict> {
    const data = await this.#assetData(symbol, params);
    const { leverage, leverageShort = leverage } = data;
    return {
      info: data,
      symbol: this.market(symbol).symbol,
      marginMode: leverage.type.toLowerCase(),
      longLeverage: leverage.value,
      shortLeverage: leverageShort.value,
    };
  }

  async fetchMarginMode(symbol: string, params: Dict = {}): Promise<Dict> {
    const data = await this.#assetData(symbol, params);
    const marginMode = data.leverage.type.toLowerCase();
    return { info: data, symbol: this.market(symbol).symbol, marginMode };
  }

  async fetchPositionMode(symbol?: string, params: Dict = {}): Promise<Dict> {
    await this.loadMarkets();
    const [first] = marketsOf(this, symbol === undefined ? undefined : [symbol]);
    if (first === undefined) throw new NotSupported(`${this.id} has no market`);
    const data = await this.#assetData(first.symbol, params);
    return { info: data, hedged: data.leverage.mode === 'Hedge' };
  }

  /** `params.marginMode` selects the mode whose leverage is set; it does not change the mode. */
  async setLeverage(leverage: number, symbol?: string, params: Dict = {}): Promise<Dict> {
    await this.loadMarkets();
    const asset = Number(namedMarket(this, symbol).id);
    const marginMode = params['marginMode'] as 'cross' | 'isolated' | undefined;
    const parameters = { asset, leverage, marginMode };
    const info = await this.link.act(params, (sender, options) =>
      updateLeverage(sender, parameters, options),
    );
    return { info };
  }

  async setMarginMode(marginMode: string, symbol?: string, params: Dict = {}): Promise<Dict> {
    await this.loadMarkets();
    const asset = Number(namedMarket(this, symbol).id);
    if (marginMode !== 'cross' && marginMode !== 'isolated') {
      throw new BadRequest(`${this.id} invalid margin mode '${marginMode}'. Use cross or isolated`);
    }
    const parameters = { asset, isCross: marginMode === 'cross' };
    const info = await this.link.act(params, (sender, options) =>
      updateMarginMode(sender, parameters, options),
    );
    return { info };
  }

  async setPositionMode(hedged: boolean, _symbol?: string, params: Dict = {}): Promise<Dict> {
    const positionMode = hedged ? 'hedge' : 'oneWay';
    const info = await this.link.act(params, (sender, options) =>
      updatePositionMode(sender, { positionMode }, options),
    );
    return { info };
  }

  /** In hedge mode, `params.side` selects the `long` (default) or the `short` position. */
  async addMargin(symbol: string, amount: number, params: Dict = {}): Promise<Dict> {
    return this.#changeMargin(symbol, amount, { ...params, marginType: 'add' });
  }

  async reduceMargin(symbol: string, amount: number, params: Dict = {}): Promise<Dict> {
    return this.#changeMargin(symbol, amount, { ...params, marginType: 'reduce' });
  }

  /**
   * Moves USDC between the sub-accounts `swap` and `outcome`, or to the address of another account.
   */
  async transfer(
    code: string,
    amount: number,
    fromAccount: string,
    toAccount: string,
    params: Dict = {},
  ): Promise<Dict> {
    this.#onlyUsdc(code);
    await this.loadMarkets();
    const isSend = ADDRESS.test(toAccount);
    const fromAccountType = this.#subAccount(fromAccount);
    const toAccountType = this.#subAccount(isSend ? (params['accountType'] ?? 'perp') : toAccount);
    const destination = isSend ? toAccount : this.link.user(params);
    const text = this.numberToString(amount) ?? '';
    const info = await this.link.act({}, (sender, { confirm }) =>
      tokenSend(sender, { destination, amount: text, fromAccountType, toAccountType }, { confirm }),
    );
    const timestamp = this.milliseconds();
    return {
      info,
      id: info.txHash,
      timestamp,
      datetime: this.iso8601(timestamp),
      currency: USDC,
      amount: this.parseNumber(text),
      fromAccount,
      toAccount,
      status: 'ok',
    };
  }

  /** Withdraws USDC to an address on the settlement chain. The amount includes the fee. */
  async withdraw(
    code: string,
    amount: number,
    address: string,
    _tag?: string,
    params: Dict = {},
  ): Promise<Dict> {
    this.#onlyUsdc(code);
    await this.loadMarkets();
    const text = this.numberToString(amount) ?? '';
    await this.link.act({}, (sender, { confirm }) =>
      withdraw3(sender, { destination: address, amount: text }, { confirm }),
    );
    const user = this.link.user(params);
    const rows = await this.link.info({ type: 'withdrawals', user, limit: NEW_WITHDRAWALS });
    const isNew = (row: Withdrawal): boolean =>
      row.destination === address.toLowerCase() && Precise.stringEquals(row.amount, text);
    const row = rows.find(isNew);
    if (row === undefined) throw new BadRequest(`${this.id} withdraw() found no withdrawal`);
    return withdrawalOf(this, row);
  }

  async #changeMargin(symbol: string, amount: number, params: Dict): Promise<Dict> {
    await this.loadMarkets();
    const market = this.market(symbol);
    const micro = Precise.stringMul(this.numberToString(amount) ?? '', MICRO);
    const sign = params['marginType'] === 'add' ? 1 : -1;
    const isBuy = params['side'] !== 'short';
    const parameters = { asset: Number(market.id), isBuy, ntli: sign * Number(micro) };
    const info = await this.link.act(params, (sender, options) =>
      updateIsolatedMargin(sender, parameters, options),
    );
    return {
      info,
      symbol: market.symbol,
      type: params['marginType'],
      marginMode: 'isolated',
      amount,
      total: undefined,
      code: USDC,
      status: 'ok',
      timestamp: undefined,
      datetime: undefined,
    };
  }

  async #assetData(symbol: string, params: Dict) {
    await this.loadMarkets();
    const { id: coin } = this.market(symbol);
    return this.link.info({ type: 'activeAssetData', user: this.link.user(params), coin });
  }

  async #ledger(
    since: number | undefined,
    limit: number | undefined,
    params: Dict,
    convert: (row: LedgerUpdate) => Dict | undefined,
  ): Promise<Dict[]> {
    const user = this.link.user(params);
    const { accountType } = params;
    const accountTypes =
      accountType === undefined ? {} : { accountTypes: [this.#subAccount(accountType)] };
    const span = spanOf(this, since, params);
    const query = { type: 'userNonFundingLedgerUpdates', user, ...accountTypes, ...span } as const;
    // Pages can also include rows of other kinds, so the query requests pages of the maximum size.
    const rows = await rowsOf((page) => this.link.page({ ...query, ...page }), {
      max: LEDGER_MAX,
      since,
    });
    const entries = rows
      .map(convert)
      .filter((entry) => entry !== undefined)
      .reverse();
    return this.filterBySinceLimit(entries, since, limit, 'timestamp', since === undefined);
  }

  #subAccount(name: unknown): SubAccount {
    const subAccount = SUB_ACCOUNTS[String(name)];
    if (subAccount !== undefined) return subAccount;
    throw new BadRequest(
      `${this.id} invalid account '${String(name)}'. Use swap, outcome or an address`,
    );
  }

  #onlyUsdc(code: string): void {
    if (code !== USDC) throw new BadRequest(`${this.id} invalid currency '${code}'. Use ${USDC}`);
  }
}
