import { readFileSync } from 'node:fs';
import { ACTIONS, type ActionType } from '@oddlot/protocol';
import { describe, expect, test } from 'vitest';
import { marketIdsOf, sentencesOf } from '../../packages/web/src/features/explorer/tx-words.ts';
import { wholeDate } from '../../packages/web/src/lib/format.ts';
import { addWords, words } from '../../packages/web/src/lib/words.ts';

/** The explorer describes every protocol action in words. */

addWords(JSON.parse(readFileSync('packages/web/src/words/en.json', 'utf8')) as object);

const USER = `0x${'11'.repeat(20)}`;
const OTHER = `0x${'22'.repeat(20)}`;
const DIRECT = { serviceNetwork: 'Oddlot-Testnet', chainId: 2511, apiVersion: 1, nonce: 7 };
const CLOID = `0x${'ab'.repeat(16)}`;
const LISTING = {
  category: 'Weather',
  tags: [],
  image: null,
  icon: null,
  priceTick: '0.01',
  sizeDecimals: 2,
  minOrderSize: '5',
  maxOrderSize: '1000',
  takerFeeRate: '0.07',
  orderDelayMs: 0,
};
const TIERS = { tiers: [{ tier: 1, minSize: '0', maxSize: '9', maxLeverage: 20, mmr: '0.025' }] };
const TIME = Date.UTC(2026, 10, 16, 22);
const limit = (tif: 'Gtc' | 'Gtd', expireTime?: number) => ({
  limit: expireTime === undefined ? { tif } : { tif, expireTime },
});
const order = (changes: object) => ({
  a: 1,
  b: true,
  p: '96926.5',
  s: '0.014',
  r: false,
  t: limit('Gtc'),
  ...changes,
});

type Case = readonly [ActionType, object, readonly string[]];

const SENTENCES: { [Type in ActionType]: readonly (readonly [object, ...string[]])[] } = {
  order: [
    [
      {
        grouping: 'normalTpsl',
        orders: [
          order({ t: limit('Gtd', TIME) }),
          order({
            b: false,
            r: true,
            t: { trigger: { isMarket: true, triggerPx: '98500', tpsl: 'tp' } },
          }),
        ],
        builder: { b: OTHER, f: 20 },
      },
      `Buy 0.014 BTC-USDC at 96,926.5, limit, valid until ${wholeDate(TIME)}`,
      'Sell 0.014 BTC-USDC at market, when the mark price reaches 98,500, take profit, reduce-only',
      'Bracket order: the first order opens the position, the others protect it.',
      `0.020% goes to builder ${OTHER}.`,
    ],
  ],
  cancel: [[{ cancels: [{ a: 1, o: 7 }] }, 'Cancel order 7 in BTC-USDC']],
  cancelByCloid: [[{ cancels: [{ asset: 1, cloid: CLOID }] }, `Cancel order ${CLOID} in BTC-USDC`]],
  modify2: [[{ a: 1, o: 7, p: '96900', s: '0.02' }, 'Edit order 7 in BTC-USDC to 0.02 at 96,900']],
  cancelAll: [
    [{}, 'Cancel all orders'],
    [{ asset: 1 }, 'Cancel all orders in BTC-USDC'],
    [{ accountType: 'outcome' }, 'Cancel all outcome market orders'],
  ],
  scheduleCancel: [
    [{}, "Disable the dead man's switch"],
    [{ time: TIME }, `Cancel all orders at ${wholeDate(TIME)} unless renewed`],
  ],
  updatePositionMode: [
    [{ positionMode: 'hedge' }, 'Set position mode to hedge'],
    [{ positionMode: 'oneWay' }, 'Set position mode to one-way'],
  ],
  updateIsolatedMargin: [
    [{ asset: 1, isBuy: true, ntli: 25_500_000 }, 'Add 25.5 USDC margin to the BTC-USDC long'],
    [{ asset: 1, isBuy: false, ntli: -1 }, 'Remove 0.000001 USDC margin from the BTC-USDC short'],
  ],
  updateLeverage: [
    [{ asset: 1, leverage: 20 }, 'Set leverage of BTC-USDC to 20×'],
    [
      { asset: 1, leverage: 3, marginMode: 'isolated' },
      'Set leverage of BTC-USDC to 3×, isolated margin',
    ],
  ],
  updateMarginMode: [[{ asset: 1, isCross: true }, 'Set BTC-USDC to cross margin']],
  reversePosition: [[{ asset: 1 }, 'Reverse the BTC-USDC position']],
  claimBuilderRewards: [[{}, 'Claim builder rewards']],
  outcomeOperate: [
    [
      { split: [{ asset: 100_000, sz: '5' }] },
      'Split 5 USDC into YES and NO shares of “Will it rain?”',
    ],
  ],
  approveAgent: [[{ ...DIRECT, agentAddress: OTHER, agentName: '' }, `Approve agent ${OTHER}`]],
  approveBuilderFee: [
    [
      { ...DIRECT, builder: OTHER, maxFeeRate: '0.05%' },
      `Allow builder ${OTHER} to charge up to 0.05% of a trade`,
    ],
  ],
  revokeBuilderFee: [[{ ...DIRECT, builder: OTHER }, `Revoke builder ${OTHER}`]],
  tokenSend: [
    [
      {
        ...DIRECT,
        destination: OTHER,
        token: 1,
        amount: '1250.5',
        fromAccountType: 'perp',
        toAccountType: 'outcome',
      },
      `Send 1,250.5 USDC from perps to outcome markets of ${OTHER}`,
    ],
  ],
  withdraw3: [[{ ...DIRECT, destination: OTHER, amount: '20' }, `Withdraw 20 USDC to ${OTHER}`]],
  convertToMultiSigUser: [
    [
      {
        ...DIRECT,
        signers: JSON.stringify({ authorizedUsers: [USER, OTHER], threshold: 2 }),
      },
      `Require 2 of these signers: ${USER}, ${OTHER}`,
    ],
    [{ ...DIRECT, signers: 'null' }, 'Convert back to an ordinary account with its own key'],
  ],
  multiSig: [
    [
      {
        signatures: [{ r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, v: 27 }],
        payload: {
          multiSigUser: USER,
          outerSigner: OTHER,
          action: { type: 'cancel', cancels: [{ a: 1, o: 7 }] },
        },
      },
      `For ${USER}, with 1 signature:`,
      'Cancel order 7 in BTC-USDC',
    ],
  ],
  venueAdmin: [
    [
      {
        registerPerp: {
          name: 'DOGE-USDC',
          baseCurrency: 'DOGE',
          quoteCurrency: 'USDC',
          perpType: 'linear',
          szDecimals: 0,
          priceTick: '0.00001',
          bookTicks: ['0.00001'],
          maxLimitOrderSize: '100000',
          maxMarketOrderSize: '100000',
          takerFeeRate: '0.00045',
          makerFeeRate: '0.00015',
          onlyIsolated: false,
          impactNotional: '6000',
          marginTable: TIERS,
        },
      },
      'List DOGE-USDC: tick size 0.00001, max leverage 20×, taker 0.0450%, maker 0.0150%',
    ],
    [
      { setPerp: { instrumentId: 1, haltTrading: true, priceTick: '0.5', marginTable: TIERS } },
      'Halt BTC-USDC',
      'Set priceTick of BTC-USDC to 0.5',
      'Replace the margin tiers of BTC-USDC',
    ],
    [
      { setPerp: { instrumentId: 1, delisted: true } },
      'Delist BTC-USDC and start its closing hour',
    ],
    [
      {
        pushOracle: {
          prices: [{ instrumentId: 1, oraclePx: '96926.5', externalPerpPx: null }],
          time: TIME,
        },
      },
      'Oracle price of BTC-USDC: 96,926.5',
    ],
    [
      {
        setGate: {
          channel: 1,
          mode: 'accessCode',
          accessCodes: { add: [{ code: 'AB****', maxUses: 3 }] },
        },
      },
      'Set access to outcome markets: invited addresses only',
      'Access to outcome markets, access codes: 1 added, 0 removed',
    ],
    [
      { registerVault: { vault: USER, leader: OTHER, name: 'Slow money' } },
      `Register the vault “Slow money” (${USER}), led by ${OTHER}`,
    ],
    [
      { treasurySend: { destination: OTHER, amount: '20' } },
      `Pay 20 USDC from the treasury to ${OTHER}`,
    ],
    [
      { setOperators: { role: 'admins', add: [USER], remove: [OTHER] } },
      `Add ${USER} as an admin`,
      `Remove ${OTHER} as an admin`,
    ],
    [
      {
        setFeeTiers: {
          exchangeId: 0,
          tiers: [
            {
              level: 0,
              min14dTradingVolume: '0',
              perpMakerFeeRate: '0.00015',
              perpTakerFeeRate: '0.00045',
            },
          ],
        },
      },
      'Replace the fee schedule: 1 tier',
    ],
  ],
  outcomeDeploy: [
    [
      {
        registerEvent: {
          slug: 'rain',
          title: 'Rain',
          description: '',
          category: '',
          tags: [],
          image: null,
          icon: null,
          mutuallyExclusive: false,
          startTime: 0,
          endTime: TIME,
        },
      },
      'Create or edit the event “Rain”',
    ],
    [
      {
        registerMarket: {
          eventSlug: 'rain',
          slug: 'rain-monday',
          question: 'Will it rain?',
          groupTitle: null,
          description: '',
          resolutionSource: '',
          outcomes: ['Yes', 'No'],
          startTime: 0,
          endTime: TIME,
          priceTick: '0.01',
          sizeDecimals: 2,
          minOrderSize: '5',
          maxOrderSize: '1000',
          takerFeeRate: '0.07',
          orderDelayMs: 0,
          underlying: null,
        },
      },
      `Create the market “Will it rain?”, open until ${wholeDate(TIME)}`,
    ],
    [
      {
        registerSeries: {
          ...LISTING,
          slug: 'btc',
          title: 'Bitcoin up or down',
          symbol: 'BTC',
          recurrence: '15m',
          source: 'oracle',
          firstStartTime: 0,
          listAhead: 2,
          enabled: true,
        },
      },
      'Start the series “Bitcoin up or down”: BTC, one market every 15m',
    ],
    [{ setTrading: { instrumentIds: [100_000], state: 'halt' } }, 'Halt “Will it rain?”'],
    [
      { pushPrice: { prices: [{ symbol: 'BTC', source: 'spot', px: '96926.5', time: TIME }] } },
      'Price of BTC (spot): 96,926.5',
    ],
    [
      { resolve: { instrumentId: 100_000, settlementFraction: '0.3', evidence: 'It <b>did</b>' } },
      'Resolve “Will it rain?”: YES pays 0.3, NO pays 0.7',
      'Evidence: It <b>did</b>',
    ],
  ],
};

const cases: readonly Case[] = (Object.keys(SENTENCES) as ActionType[]).flatMap((type) =>
  SENTENCES[type].map(([fields, ...sentences]): Case => [type, fields, sentences]),
);

const nameOf = (id: number): string => (id === 1 ? 'BTC-USDC' : '“Will it rain?”');

describe('transactions are described in words', () => {
  test.each(cases)('the explorer describes %s %j in words', (type, fields, sentences) => {
    const action = { type, ...fields };
    // The action must be valid according to the venue's schema.
    expect(ACTIONS[type].schema.safeParse(action).error).toBeUndefined();
    expect(sentencesOf(action, nameOf, words.t).map(({ text }) => text)).toEqual(sentences);
    expect(words.exists(`explorer.action.${type}`)).toBe(true);
  });

  test('every type of action has a description', () => {
    expect(Object.keys(SENTENCES).sort()).toEqual(Object.keys(ACTIONS).sort());
  });

  test.each(['venueAdmin', 'outcomeDeploy'] as const)(
    'every variant of %s has a description',
    (type) => {
      const variants = Object.keys(ACTIONS[type].schema.shape).filter((key) => key !== 'type');
      const shown = SENTENCES[type].flatMap(([fields]) => Object.keys(fields));
      expect([...new Set(shown)].sort()).toEqual(variants.sort());
    },
  );

  test('the market ids in a request are found at any depth', () => {
    const ids = cases.flatMap(([, fields]) => marketIdsOf(fields));
    expect(new Set(ids)).toEqual(new Set([1, 100_000]));
  });

  test('an invalid action has no description and causes no error', () => {
    for (const type of Object.keys(ACTIONS)) {
      for (const rest of [{}, { orders: 'none', cancels: 3, payload: null, prices: 7 }]) {
        expect(() => sentencesOf({ type, ...rest }, nameOf, words.t)).not.toThrow();
      }
    }
  });
});
