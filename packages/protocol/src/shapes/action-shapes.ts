// Made by npm run write-shapes.
import type { ObjectShape } from './shape.ts';

export const orderShape: ObjectShape = {
  type: ['is', 'order'],
  grouping: ['enum', ['na', 'normalTpsl', 'positionTpsl']],
  orders: [
    'list',
    {
      a: ['integer', 0, 4294967295],
      b: 'boolean',
      p: 'decimal',
      s: 'decimal',
      r: 'boolean',
      t: {
        'limit?': {
          tif: ['enum', ['Gtc', 'Gtd', 'Alo', 'Ioc', 'FrontendMarket'], ['post_only']],
          'expireTime?': ['integer', 0],
        },
        'trigger?': { isMarket: 'boolean', triggerPx: 'decimal', tpsl: ['enum', ['tp', 'sl']] },
      },
      'm?': ['enum', ['cross', 'isolated']],
      'c?': 'text',
    },
    1,
    50,
    'orders',
  ],
  'builder?': { b: 'address', f: ['integer', 0, 4294967295] },
};

export const cancelShape: ObjectShape = {
  type: ['is', 'cancel'],
  cancels: [
    'list',
    { a: ['integer', 0, 4294967295], o: 'any', 'grouping?': ['enum', ['tpsl']] },
    1,
    200,
    'cancels',
  ],
};

export const cancelByCloidShape: ObjectShape = {
  type: ['is', 'cancelByCloid'],
  cancels: ['list', { asset: ['integer', 0, 4294967295], cloid: 'text' }, 1, 200, 'cancels'],
};

export const modify2Shape: ObjectShape = {
  type: ['is', 'modify2'],
  a: ['integer', 0, 4294967295],
  'o?': 'any',
  'c?': 'text',
  p: 'decimal',
  s: 'decimal',
};

export const updatePositionModeShape: ObjectShape = {
  type: ['is', 'updatePositionMode'],
  positionMode: ['enum', ['oneWay', 'hedge']],
};

export const updateIsolatedMarginShape: ObjectShape = {
  type: ['is', 'updateIsolatedMargin'],
  asset: ['integer', 0, 4294967295],
  isBuy: 'boolean',
  ntli: ['integer'],
};

export const updateLeverageShape: ObjectShape = {
  type: ['is', 'updateLeverage'],
  asset: ['integer', 0, 4294967295],
  leverage: ['integer', -2147483648, 2147483647],
  'marginMode?': ['enum', ['cross', 'isolated']],
};

export const updateMarginModeShape: ObjectShape = {
  type: ['is', 'updateMarginMode'],
  asset: ['integer', 0, 4294967295],
  isCross: 'boolean',
};

export const claimBuilderRewardsShape: ObjectShape = { type: ['is', 'claimBuilderRewards'] };

export const outcomeOperateShape: ObjectShape = {
  type: ['is', 'outcomeOperate'],
  'split?': ['list', { asset: ['integer', 0, 4294967295], sz: 'decimal' }, 1, 50, 'split'],
  'merge?': ['list', { asset: ['integer', 0, 4294967295], sz: 'decimal' }, 1, 50, 'merge'],
  'convert?': 'never',
};

export const approveAgentShape: ObjectShape = {
  type: ['is', 'approveAgent'],
  serviceNetwork: 'text',
  chainId: ['integer', 0, 4294967295],
  apiVersion: ['integer', 0, 4294967295],
  agentAddress: 'address',
  'agentName?*': 'text',
  nonce: ['integer', 0],
};

export const approveBuilderFeeShape: ObjectShape = {
  type: ['is', 'approveBuilderFee'],
  serviceNetwork: 'text',
  chainId: ['integer', 0, 4294967295],
  apiVersion: ['integer', 0, 4294967295],
  builder: 'address',
  maxFeeRate: 'text',
  nonce: ['integer', 0],
};

export const revokeBuilderFeeShape: ObjectShape = {
  type: ['is', 'revokeBuilderFee'],
  serviceNetwork: 'text',
  chainId: ['integer', 0, 4294967295],
  apiVersion: ['integer', 0, 4294967295],
  builder: 'address',
  nonce: ['integer', 0],
};

export const tokenSendShape: ObjectShape = {
  type: ['is', 'tokenSend'],
  serviceNetwork: 'text',
  chainId: ['integer', 0, 4294967295],
  apiVersion: ['integer', 0, 4294967295],
  destination: 'address',
  token: ['integer', 0, 4294967295],
  amount: 'decimal',
  fromAccountType: ['enum', ['perp', 'outcome'], ['perps']],
  toAccountType: ['enum', ['perp', 'outcome'], ['perps']],
  nonce: ['integer', 0],
};

export const withdraw3Shape: ObjectShape = {
  type: ['is', 'withdraw3'],
  serviceNetwork: 'text',
  chainId: ['integer', 0, 4294967295],
  apiVersion: ['integer', 0, 4294967295],
  destination: 'address',
  amount: 'decimal',
  nonce: ['integer', 0],
};

export const convertToMultiSigUserShape: ObjectShape = {
  type: ['is', 'convertToMultiSigUser'],
  serviceNetwork: 'text',
  chainId: ['integer', 0, 4294967295],
  apiVersion: ['integer', 0, 4294967295],
  signers: 'text',
  nonce: ['integer', 0],
};

export const multiSigShape: ObjectShape = {
  type: ['is', 'multiSig'],
  signatures: ['list', { r: 'text', s: 'text', v: ['integer'] }, 1, 10, 'signatures'],
  payload: { multiSigUser: 'address', outerSigner: 'address', action: 'object' },
};

export const outcomeDeployShape: ObjectShape = {
  type: ['is', 'outcomeDeploy'],
  'registerEvent?': {
    slug: 'text',
    title: 'text',
    description: 'text',
    category: 'text',
    tags: ['list', 'text', 0, 20, 'tags'],
    'image*': 'text',
    'icon*': 'text',
    mutuallyExclusive: 'boolean',
    startTime: ['integer', 0],
    endTime: ['integer', 0],
    'eventId?': ['integer', 0, 4294967295],
  },
  'registerMarket?': {
    eventSlug: 'text',
    slug: 'text',
    question: 'text',
    'groupTitle*': 'text',
    description: 'text',
    resolutionSource: 'text',
    outcomes: 'any',
    startTime: ['integer', 0],
    endTime: ['integer', 0],
    priceTick: 'decimal',
    sizeDecimals: ['integer', 0, 4],
    minOrderSize: 'decimal',
    maxOrderSize: 'decimal',
    takerFeeRate: 'decimal',
    orderDelayMs: ['integer', 0, 10000],
    'underlying*': {
      symbol: 'text',
      source: ['enum', ['spot', 'oracle', 'twap']],
      'priceToBeat*': 'decimal',
    },
    'instrumentId?': ['integer', 0, 4294967295],
  },
  'registerSeries?': {
    slug: 'text',
    title: 'text',
    symbol: 'text',
    recurrence: ['enum', ['15m', '1h', '4h', '1d']],
    source: ['enum', ['spot', 'oracle']],
    category: 'text',
    tags: ['list', 'text', 0, 20, 'tags'],
    'image*': 'text',
    'icon*': 'text',
    firstStartTime: ['integer', 0],
    listAhead: ['integer', 1, 20],
    priceTick: 'decimal',
    sizeDecimals: ['integer', 0, 4],
    minOrderSize: 'decimal',
    maxOrderSize: 'decimal',
    takerFeeRate: 'decimal',
    orderDelayMs: ['integer', 0, 10000],
    enabled: 'boolean',
    'window?': ['is', 30, 60],
  },
  'setTrading?': {
    instrumentIds: ['list', ['integer', 0, 4294967295], 1, 50, 'instrumentIds'],
    state: ['enum', ['open', 'halt', 'close']],
  },
  'pushPrice?': {
    prices: [
      'list',
      { symbol: 'text', source: ['enum', ['spot', 'oracle']], px: 'decimal', time: ['integer', 0] },
      1,
      100,
      'prices',
    ],
  },
  'resolve?': {
    instrumentId: ['integer', 0, 4294967295],
    settlementFraction: 'decimal',
    'oracleOutcome?*': 'text',
    'evidence?': 'text',
  },
};

export const venueAdminShape: ObjectShape = {
  type: ['is', 'venueAdmin'],
  'registerPerp?': {
    name: 'text',
    baseCurrency: 'text',
    quoteCurrency: ['enum', ['USDC']],
    perpType: ['enum', ['linear']],
    szDecimals: ['integer', -4, 6],
    priceTick: 'decimal',
    bookTicks: ['list', 'decimal', 1, 8, 'bookTicks'],
    maxLimitOrderSize: 'decimal',
    maxMarketOrderSize: 'decimal',
    takerFeeRate: 'decimal',
    makerFeeRate: 'decimal',
    onlyIsolated: 'boolean',
    impactNotional: 'decimal',
    'markBand?': 'decimal',
    'premiumCap?': 'decimal',
    marginTable: {
      tiers: [
        'list',
        {
          tier: ['integer', 0, 4294967295],
          minSize: 'decimal',
          maxSize: 'decimal',
          maxLeverage: ['integer', 0, 4294967295],
          mmr: 'decimal',
        },
        1,
        20,
        'tiers',
      ],
    },
    'asset?': {
      assetId: ['integer', 0, 4294967295],
      weiDecimals: ['integer'],
      maxSupply: 'decimal',
      initialWei: 'decimal',
      archorTokenWei: 'decimal',
    },
    'tagIds?': ['list', ['integer', 0, 4294967295], 0, 20, 'tagIds'],
    'instrumentId?': ['integer', 0, 4294967295],
  },
  'setPerp?': {
    instrumentId: ['integer', 0, 4294967295],
    'haltTrading?': 'boolean',
    'delisted?': ['is', true],
    'onlyIsolated?': 'boolean',
    'takerFeeRate?': 'decimal',
    'makerFeeRate?': 'decimal',
    'priceTick?': 'decimal',
    'bookTicks?': ['list', 'decimal', 1, 8, 'bookTicks'],
    'maxLimitOrderSize?': 'decimal',
    'maxMarketOrderSize?': 'decimal',
    'impactNotional?': 'decimal',
    'markBand?': 'decimal',
    'premiumCap?': 'decimal',
    'marginTable?': {
      tiers: [
        'list',
        {
          tier: ['integer', 0, 4294967295],
          minSize: 'decimal',
          maxSize: 'decimal',
          maxLeverage: ['integer', 0, 4294967295],
          mmr: 'decimal',
        },
        1,
        20,
        'tiers',
      ],
    },
    'tagIds?': ['list', ['integer', 0, 4294967295], 0, 20, 'tagIds'],
  },
  'pushOracle?': {
    prices: [
      'list',
      {
        instrumentId: ['integer', 0, 4294967295],
        oraclePx: 'decimal',
        'externalPerpPx*': 'decimal',
      },
      1,
      200,
      'prices',
    ],
    time: ['integer', 0],
  },
  'setGate?': {
    channel: ['is', 0, 1],
    'mode?': ['enum', ['open', 'whitelist', 'accessCode', 'closed']],
    'whitelist?': {
      'add?': ['list', 'address', 0, 1000, 'add'],
      'remove?': ['list', 'address', 0, 1000, 'remove'],
    },
    'blacklist?': {
      'add?': ['list', 'address', 0, 1000, 'add'],
      'remove?': ['list', 'address', 0, 1000, 'remove'],
    },
    'accessCodes?': {
      'add?': ['list', { code: 'text', maxUses: ['integer', 0, 4294967295] }, 0, 1000, 'add'],
      'remove?': ['list', 'text', 0, 1000, 'remove'],
    },
    'grants?': {
      'add?': ['list', { user: 'address', code: 'text' }, 0, 1000, 'add'],
      'remove?': ['list', 'address', 0, 1000, 'remove'],
    },
  },
  'registerVault?': {
    vault: 'address',
    leader: 'address',
    name: 'text',
    'shares?': ['list', { user: 'address', shares: 'decimal' }, 0, 1000, 'shares'],
  },
  'treasurySend?': { destination: 'address', amount: 'decimal' },
  'setOperators?': {
    role: ['enum', ['admins', 'deployers']],
    'add?': ['list', 'address', 0, 20, 'add'],
    'remove?': ['list', 'address', 0, 20, 'remove'],
  },
  'setFeeTiers?': {
    exchangeId: ['is', 0],
    tiers: [
      'list',
      {
        level: ['integer', 0, 4294967295],
        min14dTradingVolume: 'decimal',
        perpMakerFeeRate: 'decimal',
        perpTakerFeeRate: 'decimal',
      },
      1,
      20,
      'tiers',
    ],
  },
};

export const scheduleCancelShape: ObjectShape = {
  type: ['is', 'scheduleCancel'],
  'time?': ['integer', 0],
};

export const cancelAllShape: ObjectShape = {
  type: ['is', 'cancelAll'],
  'asset?': ['integer', 0, 4294967295],
  'accountType?': ['enum', ['perp', 'outcome'], ['perps']],
};

export const reversePositionShape: ObjectShape = {
  type: ['is', 'reversePosition'],
  asset: ['integer', 0, 4294967295],
  'isBuy?': 'boolean',
};

/** Actions of /exchange, by their type. */
export const ACTION_SHAPES: Readonly<Record<string, ObjectShape>> = {
  order: orderShape,
  cancel: cancelShape,
  cancelByCloid: cancelByCloidShape,
  modify2: modify2Shape,
  updatePositionMode: updatePositionModeShape,
  updateIsolatedMargin: updateIsolatedMarginShape,
  updateLeverage: updateLeverageShape,
  updateMarginMode: updateMarginModeShape,
  claimBuilderRewards: claimBuilderRewardsShape,
  outcomeOperate: outcomeOperateShape,
  approveAgent: approveAgentShape,
  approveBuilderFee: approveBuilderFeeShape,
  revokeBuilderFee: revokeBuilderFeeShape,
  tokenSend: tokenSendShape,
  withdraw3: withdraw3Shape,
  convertToMultiSigUser: convertToMultiSigUserShape,
  multiSig: multiSigShape,
  outcomeDeploy: outcomeDeployShape,
  venueAdmin: venueAdminShape,
  scheduleCancel: scheduleCancelShape,
  cancelAll: cancelAllShape,
  reversePosition: reversePositionShape,
};
