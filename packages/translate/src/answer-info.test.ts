import { NETWORKS, parseInfo } from '@oddlot/protocol';
import { beforeEach, describe, expect, test } from 'vitest';
import { ALICE, BOB, CAROL, TestVenue } from '@oddlot/testing/venue/ws/test-venue';
import { MarketData } from './read-models/market-data.ts';
import { answerInfo, isStateQuery, type InfoAnswer, type InfoSettings } from './answer-info.ts';

const SETTINGS: InfoSettings = {
  bridgeContractAddress: '0x1111111111111111111111111111111111111111',
  usdcContractAddress: '0x2222222222222222222222222222222222222222',
  settlementChainId: 421614,
  chainName: 'oddlot',
};
const NOBODY = `0x${'9'.repeat(40)}`;

let venue: TestVenue;
let markets: MarketData;
beforeEach(() => {
  venue = TestVenue.open();
  markets = new MarketData(() => venue.state);
  venue.onBlock((block) => markets.onBlock(block));
});

function ask(type: string, fields: object = {}, settings = SETTINGS): InfoAnswer {
  const parsed = parseInfo({ type, ...fields });
  if (!parsed.ok) return parsed;
  if (!isStateQuery(parsed.query)) throw new Error(`not answered from the state: ${type}`);
  const context = { state: venue.state, network: NETWORKS.testnet, settings, markets };
  return answerInfo(context, parsed.query);
}

// oxlint-disable-next-line no-explicit-any
function data(type: string, fields: object = {}): any {
  const answer = ask(type, fields);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.data;
}

function refusal(type: string, fields: object = {}): { code: number; message: string } {
  const answer = ask(type, fields);
  if (answer.ok) throw new Error('answered');
  return { code: answer.error.code, message: answer.error.message };
}

describe('metadata queries return the markets and the configuration', () => {
  const SHARED = {
    name: 'BTC-USDC',
    szDecimals: 3,
    priceTick: '0.5',
    bookTicks: ['0.5', '1', '10'],
    maxLimitOrderSize: 1000.5,
    maxMarketOrderSize: 200,
    haltTrading: false,
    onlyIsolated: false,
    delisted: false,
    closingTime: null,
  };

  test('perpMeta lists every perp', () => {
    expect(data('perpMeta', { dex: '' })).toEqual({
      universe: [
        {
          ...SHARED,
          index: 1,
          baseCurrency: 'BTC',
          quoteCurrency: 'USDC',
          currencyType: 'usdc',
          basePrecision: '0.001',
          quotePrecision: '0.000001',
          maxLeverage: 50,
          tokens: [3, 1],
          pricePrecision: '0.5',
          useNotionalMargin: false,
          tagIds: [7],
        },
      ],
    });
  });

  test('perpMetaDetail returns the asset and its margin tables', () => {
    expect(data('perpMetaDetail', { assetName: 'BTC' })).toEqual({
      asset: {
        name: 'BTC',
        assetId: 3,
        szDecimals: 3,
        weiDecimals: 8,
        maxSupply: '21000000',
        initialWei: '0',
        archorTokenWei: '0',
      },
      instruments: [
        {
          perp: {
            ...SHARED,
            instrumentId: 1,
            assets: [3, 1],
            perpType: 'linear',
            takerFeeRate: '0.00045',
            makerFeeRate: '0.00015',
            premiumCap: '0.01',
          },
          marginTable: {
            instrumentId: 1,
            tiers: [
              { tier: 1, minSize: '0', maxSize: '100', maxLeverage: 50, mmr: '0.005' },
              { tier: 2, minSize: '100', maxSize: '10000', maxLeverage: 20, mmr: '0.01' },
            ],
          },
        },
      ],
    });
    for (const assetName of ['DOGE', 'BTC-USDC']) {
      const refused = { code: 10404, message: 'Instrument not found' };
      expect(refusal('perpMetaDetail', { assetName })).toEqual(refused);
    }
  });

  test('settings and feeTierInfo return the configured values', () => {
    expect(data('settings')).toEqual({
      bridge2_contract_address: SETTINGS.bridgeContractAddress,
      settlement_chain_id: 421614,
      settlement_rpc_url: null,
      usdc_contract_address: SETTINGS.usdcContractAddress,
      insurance_fund_address: '0x0dd107000000000000000000000000000000f0fd',
      usdc_decimals: 6,
      min_deposit: '5000000',
      min_withdraw: '2',
      withdraw_fee: '0.1',
      service_network: 'Oddlot-Testnet',
      chain_id: 2511,
      api_version: 1,
      protocol_version: 47,
      relay_url: '',
      chain_name: 'oddlot',
      faucet_amount: null,
      simulated_traders: false,
      simulated_accounts: [],
      has_leaderboard: true,
      has_relay: false,
    });
    const relayUrl = 'http://127.0.0.1:8691';
    expect(ask('settings', {}, { ...SETTINGS, relayUrl })).toMatchObject({
      data: { relay_url: relayUrl, has_relay: true },
    });
    const zero = { level: 0, min14dTradingVolume: '0' };
    const one = { level: 1, min14dTradingVolume: '5000000' };
    expect(data('feeTierInfo', { exchange_id: 0 })).toEqual({
      tiers: [
        { ...zero, perpMakerFeeRate: '0.00015', perpTakerFeeRate: '0.00045' },
        { ...one, perpMakerFeeRate: '0.00012', perpTakerFeeRate: '0.0004' },
      ],
    });
  });
});

describe('the l2Book query returns an aggregated book', () => {
  test('l2Book aggregates levels by the requested tick, best price first', () => {
    venue.order(ALICE, { buy: true, price: 99, size: 0.5 });
    venue.order(ALICE, { buy: true, price: 99.5, size: 0.25 });
    venue.order(BOB, { sell: true, price: 100.5, size: 1 });
    venue.order(BOB, { sell: true, price: 100.5, size: 1 });
    const time = venue.state.timeMs;
    expect(data('l2Book', { coin: '1' })).toEqual({
      coin: 'BTC-USDC',
      time,
      levels: [
        [
          { px: '99.5', sz: '0.25', n: 1 },
          { px: '99', sz: '0.5', n: 1 },
        ],
        [{ px: '100.5', sz: '2', n: 2 }],
      ],
    });
    expect(data('l2Book', { coin: '1', tick: '1.0' }).levels).toEqual([
      [{ px: '99', sz: '0.75', n: 2 }],
      [{ px: '101', sz: '2', n: 2 }],
    ]);
    expect(data('l2Book', { coin: '1', tick: '' }).levels[0]).toHaveLength(2);
  });

  test('l2Book returns at most twenty levels per side', () => {
    for (let level = 0; level < 25; level++) {
      venue.order(ALICE, { buy: true, price: 80 + level / 2, size: 0.2 });
    }
    const [bids] = data('l2Book', { coin: '1' }).levels;
    expect(bids).toHaveLength(20);
    expect(bids[0].px).toBe('92');
  });

  test('l2Book rejects unlisted ids and unsupported ticks', () => {
    expect(refusal('l2Book', { coin: '2' })).toEqual({
      code: 10404,
      message: 'Instrument not found',
    });
    expect(refusal('l2Book', { coin: 'BTC-USDC' }).code).toBe(10002);
    expect(refusal('l2Book', { coin: '1', tick: '0.7' }).code).toBe(10002);
    expect(refusal('l2Book', { coin: '1', tick: '0.00000001' }).code).toBe(10002);
  });
});

const EMPTY_SUMMARY = {
  accountValue: '0',
  totalMarginUsed: '0',
  totalNtlPos: '0',
  totalRawUsd: '0',
};

describe('the clearinghouseState query returns positions and margin', () => {
  test('the clearinghouse state of an unknown account is empty', () => {
    const empty = {
      accountValuePlusWithdrawHold: '0',
      assetPositions: [],
      crossMaintenanceMarginUsed: '0',
      crossMarginRatio: '999999',
      crossMarginSummary: EMPTY_SUMMARY,
      marginSummary: EMPTY_SUMMARY,
      time: venue.state.timeMs,
      totalRawUsdPlusWithdrawHold: '0',
      vaultEquity: '0',
      withdrawable: '0',
      activeReverseJobs: [],
    };
    expect(data('clearinghouseState', { user: NOBODY })).toEqual(empty);
    expect(data('perpClearinghouseState', { user: NOBODY })).toEqual(empty);
    const outcome = { user: NOBODY, accountType: 'outcome' };
    expect(data('clearinghouseState', outcome)).toEqual({ ...empty, crossMarginRatio: '' });
  });

  test('clearinghouseState values positions and margin at the mark', () => {
    venue.order(BOB, { sell: true, price: 100, size: 10 });
    venue.order(ALICE, { buy: true, price: 100, size: 10 });
    venue.oracle(101);
    const long = data('clearinghouseState', { user: ALICE, accountType: 'perps' });
    const short = data('clearinghouseState', { user: BOB });
    // The taker fee is 0.045% and the maker fee is 0.015% of 1,000 USDC.
    const [{ position, tpsl, type }] = long.assetPositions;
    const mark = Number(position.markPx);
    expect({ tpsl, type }).toEqual({ tpsl: [], type: 'OneWay' });
    expect(mark).toBeGreaterThan(100);
    expect(position).toEqual({
      adlQuantile: 4,
      asset: '1',
      coin: 'BTC-USDC',
      cumFunding: { allTime: '0', sinceChange: '0', sinceOpen: '0' },
      entryPx: '100',
      leverage: { rawUsd: '', type: 'Cross', value: 20 },
      liquidationPx: '',
      marginRatio: long.crossMarginRatio,
      marginUsed: String(mark / 2),
      markPx: expect.any(String),
      maxLeverage: 50,
      positionValue: String(mark * 10),
      returnOnEquity: String((mark - 100) / 5),
      szi: '10',
      unrealizedPnl: String((mark - 100) * 10),
      updateTime: expect.any(Number),
      cumFee: '-0.45',
      closedPnl: '0',
    });
    const value = 10_000 - 0.45 + (mark - 100) * 10;
    expect(Number(long.marginSummary.accountValue)).toBeCloseTo(value, 6);
    expect(long.marginSummary.totalNtlPos).toBe(String(mark * 10));
    expect(long.marginSummary.totalRawUsd).toBe('8999.55');
    expect(long.crossMarginSummary).toEqual(long.marginSummary);
    // The maintenance margin and the liquidation fee are each 0.5% of the notional.
    expect(Number(long.crossMarginRatio)).toBeCloseTo(value / (mark * 10 * 0.01), 5);
    expect(Number(long.crossMaintenanceMarginUsed)).toBeCloseTo(mark * 0.05, 6);

    expect(short.assetPositions[0].position).toMatchObject({
      szi: '-10',
      entryPx: '100',
      cumFee: '-0.15',
      unrealizedPnl: String((100 - mark) * 10),
      positionValue: String(mark * 10),
    });
    expect(Number(short.assetPositions[0].position.liquidationPx)).toBeGreaterThan(1000);
    expect(short.marginSummary.totalRawUsd).toBe('10999.85');
  });

  test('the outcome sub-account’s account value is its free balance', () => {
    venue.credit(CAROL, 'outcome', 12.5);
    const state = data('clearinghouseState', { user: CAROL, accountType: 'outcome' });
    const summary = { ...EMPTY_SUMMARY, accountValue: '12.5', totalRawUsd: '12.5' };
    expect(state).toMatchObject({ marginSummary: summary, withdrawable: '12.5' });
  });
});

describe('the open orders query returns resting orders', () => {
  test('frontendOpenOrders lists orders newest first, with all fields', () => {
    const expireMs = (venue.state.timeMs + 3_600_000) as never;
    venue.order(ALICE, { buy: true, price: 99, size: 1, timeInForce: 'gtd', expireMs });
    const timestamp = venue.state.timeMs;
    venue.order(BOB, { sell: true, price: 99, size: 0.25 });
    venue.order(ALICE, { sell: true, price: 105, size: 0.5, timeInForce: 'alo' });
    const rows = data('frontendOpenOrders', { user: ALICE });
    expect(rows.map((row: { limitPx: string }) => row.limitPx)).toEqual(['105', '99']);
    expect(rows[1]).toEqual({
      coin: 'BTC',
      symbol: 'BTC-USDC',
      side: 'B',
      limitPx: '99',
      sz: '0.75',
      origSz: '1',
      oid: expect.any(Number),
      timestamp,
      triggerCondition: 'N/A',
      isTrigger: false,
      triggerPx: '0',
      children: [],
      isPositionTpsl: false,
      reduceOnly: false,
      dir: 'Buy',
      orderType: 'Limit',
      tif: 'GTD',
      expireTime: expireMs,
      cloid: null,
      avgFillPrice: '99',
      positionMode: 'OneWay',
      marginMode: 'Cross',
      leverage: 20,
      instrumentId: 1,
      instrumentType: 'perps',
      marketType: 'perps',
      status: 'open',
    });
    expect(rows[0]).not.toHaveProperty('expireTime');
    expect(data('frontendOpenOrders', { user: ALICE, coin: '1' })).toHaveLength(2);
    expect(data('frontendOpenOrders', { user: ALICE, coin: '2' })).toEqual([]);
    expect(data('frontendOpenOrders', { user: ALICE, accountType: ['outcome'] })).toEqual([]);
    expect(data('frontendOpenOrders', { user: NOBODY })).toEqual([]);
    expect(data('triggerOrders', { user: ALICE, asset: null })).toEqual([]);
  });
});

describe('account queries return an account’s agents and trading capacity', () => {
  test('approvedAgents returns an account’s agents, and agentOwner an agent’s owner', () => {
    const agent = `0x${'7'.repeat(40)}` as never;
    venue.approveAgent(ALICE, agent, 'desk');
    const time = venue.state.timeMs;
    expect(data('approvedAgents', { user: ALICE })).toEqual([
      {
        agentAddress: agent,
        agentName: 'desk',
        createTime: time,
        updateTime: time,
        validUntil: null,
      },
    ]);
    const known = { agent, owner: ALICE, agentName: 'desk' };
    expect(data('agentOwner', { agent })).toEqual(known);
    expect(data('agentOwner', { user: agent })).toEqual(known);
    const unknown = { agent: NOBODY, owner: null, agentName: null };
    expect(data('agentOwner', { agent: NOBODY })).toEqual(unknown);
    expect(data('approvedAgents', { user: NOBODY })).toEqual([]);
  });

  test('a query for an agent address’s positions returns a warning', () => {
    const agent = `0x${'7'.repeat(40)}` as never;
    venue.approveAgent(ALICE, agent, '');
    const answer = ask('clearinghouseState', { user: agent });
    expect(answer).toMatchObject({
      ok: true,
      warnings: [{ code: 'AGENT_ADDRESS', details: { agent, owner: ALICE } }],
    });
    expect(ask('clearinghouseState', { user: ALICE })).not.toHaveProperty('warnings');
  });

  test('activeAssetData returns the tradable size and the free margin', () => {
    const mine = data('activeAssetData', { user: ALICE, coin: '1' });
    expect(mine).toEqual({
      user: ALICE,
      coin: 'BTC-USDC',
      leverage: { mode: 'OneWay', type: 'Cross', value: 20, rawUsd: '' },
      // The size is limited by the maximum market order size, not by the margin.
      maxTradeSzs: ['200', '200'],
      availableToTrade: ['1000', '1000'],
      markPx: '100',
      onlyIsolated: false,
    });
    const theirs = data('activeAssetData', { user: NOBODY, coin: '1' });
    expect(theirs).toMatchObject({ maxTradeSzs: ['0', '0'], availableToTrade: ['0', '0'] });
    expect(theirs.leverage.value).toBe(20);
    expect(refusal('activeAssetData', { user: ALICE, coin: '9' }).code).toBe(10404);
  });
});
