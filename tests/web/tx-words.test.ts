import { readFileSync } from 'node:fs';
import { ACTIONS, type ActionType } from '@oddlot/protocol';
import { describe, expect, test } from 'vitest';
import { marketIdsOf, sentencesOf } from '../../packages/web/src/features/explorer/tx-words.ts';
import { wholeDate } from '../../packages/web/src/lib/time.ts';
import { addWords, words } from '../../packages/web/src/lib/words.ts';

/** Whatever the protocol knows, the explorer says in words. */

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

const SAID: { [Type in ActionType]: readonly (readonly [object, ...string[]])[] } = {
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
      `Buy 0.014 BTC-USDC at 96,926.5, limit, good until ${wholeDate(TIME)}`,
      'Sell 0.014 BTC-USDC at market, once the mark reaches 98,500, take profit, reducing only',
      'These belong together: the first one opens, the others protect it.',
      `0.020\u202f% of it goes to the builder ${OTHER}.`,
    ],
  ],
  cancel: [[{ cancels: [{ a: 1, o: 7 }] }, 'Cancel order 7 of BTC-USDC']],
  cancelByCloid: [[{ cancels: [{ asset: 1, cloid: CLOID }] }, `Cancel order ${CLOID} of BTC-USDC`]],
  modify2: [[{ a: 1, o: 7, p: '96900', s: '0.02' }, 'Amend order 7 of BTC-USDC to 0.02 at 96,900']],
  cancelAll: [
    [{}, 'Cancel every order'],
    [{ asset: 1 }, 'Cancel every order of BTC-USDC'],
    [{ accountType: 'outcome' }, 'Cancel every order of outcome markets'],
  ],
  scheduleCancel: [
    [{}, "Switch the dead man's switch off"],
    [{ time: TIME }, `Cancel every order at ${wholeDate(TIME)} unless told otherwise`],
  ],
  updatePositionMode: [
    [{ positionMode: 'hedge' }, 'Hold a long and a short of a market apart (hedge mode)'],
    [{ positionMode: 'oneWay' }, 'Hold one position a market (one-way mode)'],
  ],
  updateIsolatedMargin: [
    [
      { asset: 1, isBuy: true, ntli: 25_500_000 },
      'Add 25.5 USDC of margin to the long of BTC-USDC',
    ],
    [
      { asset: 1, isBuy: false, ntli: -1 },
      'Take 0.000001 USDC of margin from the short of BTC-USDC',
    ],
  ],
  updateLeverage: [
    [{ asset: 1, leverage: 20 }, 'Trade BTC-USDC with leverage 20×'],
    [
      { asset: 1, leverage: 3, marginMode: 'isolated' },
      'Trade BTC-USDC with leverage 3×, isolated margin',
    ],
  ],
  updateMarginMode: [[{ asset: 1, isCross: true }, 'Trade BTC-USDC with cross margin']],
  reversePosition: [[{ asset: 1 }, 'Reverse the position in BTC-USDC']],
  claimBuilderRewards: [[{}, 'Pay out what was earned as a builder']],
  outcomeOperate: [
    [
      { split: [{ asset: 100_000, sz: '5' }] },
      'Split 5 USDC into as many YES and NO of “Will it rain?”',
    ],
  ],
  approveAgent: [
    [{ ...DIRECT, agentAddress: OTHER, agentName: '' }, `Let ${OTHER} trade for the account`],
  ],
  approveBuilderFee: [
    [
      { ...DIRECT, builder: OTHER, maxFeeRate: '0.05%' },
      `Let the builder ${OTHER} charge up to 0.05% of a trade`,
    ],
  ],
  revokeBuilderFee: [
    [{ ...DIRECT, builder: OTHER }, `Let the builder ${OTHER} charge nothing any more`],
  ],
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
      `From now on 2 of these must sign together: ${USER}, ${OTHER}`,
    ],
    [
      { ...DIRECT, signers: 'null' },
      'Make it an ordinary account again, signed for by its own key',
    ],
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
      'Cancel order 7 of BTC-USDC',
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
      'List DOGE-USDC: tick 0.00001, leverage up to 20×, taker 0.0450\u202f%, maker 0.0150\u202f%',
    ],
    [
      { setPerp: { instrumentId: 1, haltTrading: true, priceTick: '0.5', marginTable: TIERS } },
      'Halt BTC-USDC',
      'Set priceTick of BTC-USDC to 0.5',
      'Replace the margin tiers of BTC-USDC',
    ],
    [{ setPerp: { instrumentId: 1, delisted: true } }, 'Delist BTC-USDC; its closing hour begins'],
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
      'Open the gate of outcome markets to: who has a grant',
      'On the gate of outcome markets, access codes: 1 added, 0 removed',
    ],
    [
      { registerVault: { vault: USER, leader: OTHER, name: 'Slow money' } },
      `Let ${OTHER} lead the vault “Slow money” (${USER})`,
    ],
    [
      { treasurySend: { destination: OTHER, amount: '20' } },
      `Pay 20 USDC of collected fees to ${OTHER}`,
    ],
    [
      { setOperators: { role: 'admins', add: [USER], remove: [OTHER] } },
      `Make ${USER} an admin`,
      `${OTHER} is no admin any more`,
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
      'Replace the fee ladder: 1 level',
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
      'Create the event “Rain”, or change its texts',
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
      `Open the market “Will it rain?”, until ${wholeDate(TIME)}`,
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
      'Run the series “Bitcoin up or down”: BTC, a market every 15m',
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

const cases: readonly Case[] = (Object.keys(SAID) as ActionType[]).flatMap((type) =>
  SAID[type].map(([fields, ...said]): Case => [type, fields, said]),
);

const nameOf = (id: number): string => (id === 1 ? 'BTC-USDC' : '“Will it rain?”');

describe('transactions in words', () => {
  test.each(cases)('%s %j', (type, fields, said) => {
    const action = { type, ...fields };
    // It is an action as the venue takes it, not one that only this test knows.
    expect(ACTIONS[type].schema.safeParse(action).error).toBeUndefined();
    expect(sentencesOf(action, nameOf, words.t).map(({ text }) => text)).toEqual(said);
    expect(words.exists(`explorer.action.${type}`)).toBe(true);
  });

  test('every type of action is among them', () => {
    expect(Object.keys(SAID).sort()).toEqual(Object.keys(ACTIONS).sort());
  });

  test.each(['venueAdmin', 'outcomeDeploy'] as const)('and every variant of %s', (type) => {
    const variants = Object.keys(ACTIONS[type].schema.shape).filter((key) => key !== 'type');
    const shown = SAID[type].flatMap(([fields]) => Object.keys(fields));
    expect([...new Set(shown)].sort()).toEqual(variants.sort());
  });

  test('the markets that a request names are found wherever they stand', () => {
    const ids = cases.flatMap(([, fields]) => marketIdsOf(fields));
    expect(new Set(ids)).toEqual(new Set([1, 100_000]));
  });

  test('what nobody can read has no words, and breaks nothing', () => {
    for (const type of Object.keys(ACTIONS)) {
      for (const rest of [{}, { orders: 'none', cancels: 3, payload: null, prices: 7 }]) {
        expect(() => sentencesOf({ type, ...rest }, nameOf, words.t)).not.toThrow();
      }
    }
  });
});
