import { isDecimal, multiply, subtract } from '../../lib/decimal.ts';
import { cents, number, percent, wholeDate } from '../../lib/format.ts';
import { words, type Words } from '../../lib/words.ts';
import type en from '../../words/en.json';

export function sentencesOf(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
  switch (action['type']) {
    case 'order':
      return orderSentences(action, nameOf, t);
    case 'multiSig':
      return wrappedSentences(action, nameOf, t);
    case 'venueAdmin':
    case 'outcomeDeploy':
      return operatorSentences(action, nameOf, t);
    default:
      return [
        ...cancelSentences(action, nameOf, t),
        ...positionSentences(action, nameOf, t),
        ...accountSentences(action, t),
      ];
  }
}

export function marketIdsOf(action: unknown): readonly number[] {
  if (Array.isArray(action)) return action.flatMap(marketIdsOf);
  if (typeof action !== 'object' || action === null) return [];
  return Object.entries(action).flatMap(([key, value]) => {
    const isId = key === 'a' || key === 'asset' || key === 'instrumentId';
    if (isId && Number.isSafeInteger(value)) return [Number(value)];
    if (key === 'instrumentIds' && Array.isArray(value)) return value.map(Number);
    return marketIdsOf(value);
  });
}

function wrappedSentences(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
  const { action: inner, multiSigUser } = fieldsOf(action['payload']);
  const count = listOf(action['signatures']).length;
  return [
    { text: t('explorer.says.multiSig', { user: textOf(multiSigUser), count }) },
    ...sentencesOf(fieldsOf(inner), nameOf, t),
  ];
}

function cancelSentences(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
  const { accountType, asset, type } = action;
  if (type === 'cancel' || type === 'cancelByCloid') {
    return listOf(action['cancels']).map(({ a, asset: id, cloid, o }, entry) => ({
      entry,
      text: t('explorer.says.cancel', { oid: textOf(o ?? cloid), market: nameOf(Number(a ?? id)) }),
    }));
  }
  if (type === 'cancelAll') {
    if (asset !== undefined) {
      return [{ text: t('explorer.says.cancelAllOf', { market: nameOf(Number(asset)) }) }];
    }
    if (accountType === 'perp') return [{ text: t('explorer.says.cancelAllPerps') }];
    if (accountType === 'outcome') return [{ text: t('explorer.says.cancelAllOutcomes') }];
    return [{ text: t('explorer.says.cancelAll') }];
  }
  if (type !== 'scheduleCancel') return [];
  return [
    {
      text:
        action['time'] === undefined
          ? t('explorer.says.unscheduleCancel')
          : t('explorer.says.scheduleCancel', { time: wholeDate(Number(action['time'])) }),
    },
  ];
}

function positionSentences(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
  const market = nameOf(Number(action['asset'] ?? action['a']));
  switch (action['type']) {
    case 'modify2': {
      const given = {
        oid: textOf(action['o'] ?? action['c']),
        market,
        size: number(textOf(action['s'])),
        price: number(textOf(action['p'])),
      };
      return [{ entry: 0, text: t('explorer.says.modify', given) }];
    }
    case 'updateLeverage': {
      const given = { market, leverage: textOf(action['leverage']) };
      const mode = textOf(action['marginMode']).toLowerCase();
      if (mode === 'cross') return [{ text: t('explorer.says.leverageCross', given) }];
      if (mode === 'isolated') return [{ text: t('explorer.says.leverageIsolated', given) }];
      return [{ text: t('explorer.says.leverage', given) }];
    }
    case 'updateMarginMode': {
      const isCross = action['isCross'] === true;
      return [{ text: t(isCross ? 'explorer.says.cross' : 'explorer.says.isolated', { market }) }];
    }
    case 'updateIsolatedMargin':
      return [{ text: marginText(action, market, t) }];
    case 'reversePosition':
      return [{ text: t('explorer.says.reverse', { market }) }];
    case 'outcomeOperate':
      return [
        ...pairSentences(action['split'], 'explorer.says.split', nameOf, t),
        ...pairSentences(action['merge'], 'explorer.says.merge', nameOf, t),
      ];
    default:
      return [];
  }
}

const MICRO = 1_000_000;

function marginText({ isBuy, ntli }: Fields, market: string, t: Words): string {
  const micro = Number(ntli);
  const given = { market, amount: number(String(Math.abs(micro) / MICRO)) };
  if (micro > 0) {
    return isBuy === true
      ? t('explorer.says.addMarginLong', given)
      : t('explorer.says.addMarginShort', given);
  }
  return isBuy === true
    ? t('explorer.says.takeMarginLong', given)
    : t('explorer.says.takeMarginShort', given);
}

function pairSentences(
  entries: unknown,
  key: 'explorer.says.split' | 'explorer.says.merge',
  nameOf: NameOf,
  t: Words,
): readonly Sentence[] {
  return listOf(entries).map(({ asset, sz }) => ({
    text: t(key, { size: number(textOf(sz)), market: nameOf(Number(asset)) }),
  }));
}

export const OUTCOME_ID_MIN = 100_000;
const BUILDER_UNIT = '0.00001';
const RATE_DECIMALS = 3;

function orderSentences(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
  const orders = listOf(action['orders']).map((order, entry) => ({
    entry,
    ...orderSentence(order, nameOf, t),
  }));
  const grouping = textOf(action['grouping']).toLowerCase();
  const { b, f } = fieldsOf(action['builder']);
  return [
    ...orders,
    ...(grouping === 'normaltpsl' ? [{ text: t('explorer.says.bracket') }] : []),
    ...(grouping === 'positiontpsl' ? [{ text: t('explorer.says.positionTpsl') }] : []),
    ...(b === undefined || Number(f) === 0
      ? []
      : [{ text: t('explorer.says.builderFee', { builder: textOf(b), rate: rateOf(f) }) }]),
  ];
}

function rateOf(units: unknown): string {
  const text = textOf(units);
  return percent(isDecimal(text) ? multiply(text, BUILDER_UNIT) : undefined, {
    decimals: RATE_DECIMALS,
  });
}

function orderSentence(order: Fields, nameOf: NameOf, t: Words): Sentence {
  const id = Number(order['a']);
  const isBid = order['b'] === true;
  const isReducing = order['r'] === true;
  const isOutcome = id >= OUTCOME_ID_MIN;
  // A reduce-only bid sells NO.
  const leg = isOutcome ? ` ${isBid === isReducing ? t('explorer.no') : t('explorer.yes')}` : '';
  const isBuy = isOutcome ? !isReducing : isBid;
  const given = {
    size: number(textOf(order['s'])),
    market: nameOf(id) + leg,
    price: isOutcome ? cents(textOf(order['p'])) : number(textOf(order['p'])),
  };
  const { limit, trigger } = fieldsOf(order['t']);
  const extras = [
    ...triggerWords(fieldsOf(trigger), t),
    ...(isReducing && !isOutcome ? [t('explorer.says.reduceOnly')] : []),
    ...limitWords(fieldsOf(limit), t),
  ];
  const what = mainWords(fieldsOf(order['t']), { isBuy, given }, t);
  return { text: [what, ...extras].join(', '), side: isBuy ? 'buy' : 'sell', isOutcome };
}

type Given = { readonly size: string; readonly market: string; readonly price: string };

function mainWords(
  { limit, trigger }: Fields,
  { isBuy, given }: { readonly isBuy: boolean; readonly given: Given },
  t: Words,
): string {
  if (fieldsOf(trigger)['isMarket'] === true) {
    return t(isBuy ? 'explorer.says.buyTrigger' : 'explorer.says.sellTrigger', given);
  }
  const isNow = /^(?:ioc|frontendmarket)$/i.test(textOf(fieldsOf(limit)['tif']));
  if (isNow) return t(isBuy ? 'explorer.says.buyNow' : 'explorer.says.sellNow', given);
  return t(isBuy ? 'explorer.says.buy' : 'explorer.says.sell', given);
}

function triggerWords({ tpsl, triggerPx }: Fields, t: Words): readonly string[] {
  if (triggerPx === undefined) return [];
  const isProfit = textOf(tpsl).toLowerCase() === 'tp';
  return [
    t('explorer.says.trigger', { price: number(textOf(triggerPx)) }),
    t(isProfit ? 'explorer.says.takeProfit' : 'explorer.says.stopLoss'),
  ];
}

function limitWords({ expireTime, tif }: Fields, t: Words): readonly string[] {
  const kind = textOf(tif);
  if (/^(?:alo|post_only)$/i.test(kind)) return [t('explorer.says.postOnly')];
  return [
    ...(/^(?:gtc|gtd)$/i.test(kind) ? [t('explorer.says.limit')] : []),
    ...(expireTime === undefined
      ? []
      : [t('explorer.says.until', { time: wholeDate(Number(expireTime)) })]),
  ];
}

function accountSentences(action: Fields, t: Words): readonly Sentence[] {
  const text = accountText(action, t);
  return text === undefined ? [] : [{ text }];
}

function accountText(action: Fields, t: Words): string | undefined {
  const amount = number(textOf(action['amount']));
  const destination = textOf(action['destination']);
  const builder = textOf(action['builder']);
  switch (action['type']) {
    case 'updatePositionMode':
      return textOf(action['positionMode']).toLowerCase() === 'hedge'
        ? t('explorer.says.hedge')
        : t('explorer.says.oneWay');
    case 'tokenSend': {
      const from = subAccount(action['fromAccountType'], t);
      const to = subAccount(action['toAccountType'], t);
      return t('explorer.says.send', { amount, from, to, destination });
    }
    case 'withdraw3':
      return t('explorer.says.withdraw', { amount, destination });
    case 'approveAgent': {
      const [agent, name] = [textOf(action['agentAddress']), textOf(action['agentName'])];
      return name === ''
        ? t('explorer.says.agentUnnamed', { agent })
        : t('explorer.says.agent', { agent, name });
    }
    case 'approveBuilderFee':
      return t('explorer.says.builder', { builder, rate: textOf(action['maxFeeRate']) });
    case 'revokeBuilderFee':
      return t('explorer.says.revokeBuilder', { builder });
    case 'claimBuilderRewards':
      return t('explorer.says.claim');
    case 'convertToMultiSigUser':
      return signersText(textOf(action['signers']), t);
    default:
      return undefined;
  }
}

function subAccount(type: unknown, t: Words): string {
  return textOf(type).toLowerCase() === 'outcome'
    ? t('explorer.says.outcome')
    : t('explorer.says.perp');
}

function signersText(json: string, t: Words): string {
  let set: unknown = null;
  try {
    set = JSON.parse(json);
  } catch {
    // An invalid signer set changes nothing, and the page shows the request's error.
  }
  const { authorizedUsers, threshold } = fieldsOf(set);
  const users = textsOf(authorizedUsers);
  if (users.length === 0) return t('explorer.says.ordinary');
  return t('explorer.says.signers', { count: Number(threshold), users: users.join(', ') });
}

export type Sentence = {
  readonly text: string;
  readonly entry?: number | undefined;
  readonly side?: 'buy' | 'sell' | undefined;
  readonly isOutcome?: boolean | undefined;
};

export type NameOf = (id: number) => string;

type NamedAction = keyof typeof en.explorer.action;

function isNamed(type: string): type is NamedAction {
  return words.exists(`explorer.action.${type}`);
}

export function actionName(type: string, t: Words): string {
  return isNamed(type) ? t(`explorer.action.${type}`) : type;
}

/** Reads the fields of a request. Their content is untrusted, so unexpected values are skipped. */

type Fields = Readonly<Record<string, unknown>>;

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const FEE_DECIMALS = 4;
const SHOWN_MAX = 20;

function operatorSentences(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
  const [variant] = Object.keys(action).filter((key) => key !== 'type');
  if (variant === undefined) return [];
  const texts = variantTexts(variant, fieldsOf(action[variant]), nameOf, t);
  const more = texts.length - SHOWN_MAX;
  const shown = texts.slice(0, SHOWN_MAX).map((text) => ({ text }));
  return more > 0 ? [...shown, { text: t('explorer.says.more', { count: more }) }] : shown;
}

function variantTexts(
  variant: string,
  fields: Fields,
  nameOf: NameOf,
  t: Words,
): readonly string[] {
  switch (variant) {
    case 'registerPerp':
      return [perpText(fields, t)];
    case 'setPerp':
      return perpChanges(fields, nameOf(Number(fields['instrumentId'])), t);
    case 'pushOracle':
      return listOf(fields['prices']).map(({ instrumentId, oraclePx }) =>
        t('explorer.says.pushOracle', {
          market: nameOf(Number(instrumentId)),
          price: number(textOf(oraclePx)),
        }),
      );
    case 'setGate':
      return gateTexts(fields, t);
    case 'setOperators':
      return operatorTexts(fields, t);
    case 'registerVault':
      return [
        t('explorer.says.registerVault', {
          leader: textOf(fields['leader']),
          name: textOf(fields['name']),
          vault: textOf(fields['vault']),
        }),
      ];
    case 'treasurySend':
      return [
        t('explorer.says.treasurySend', {
          amount: number(textOf(fields['amount'])),
          destination: textOf(fields['destination']),
        }),
      ];
    case 'setFeeTiers':
      return [t('explorer.says.feeTiers', { count: listOf(fields['tiers']).length })];
    default:
      return marketTexts(variant, fields, nameOf, t);
  }
}

function marketTexts(variant: string, fields: Fields, nameOf: NameOf, t: Words): readonly string[] {
  const title = textOf(fields['title']);
  switch (variant) {
    case 'registerEvent':
      return [t('explorer.says.registerEvent', { title })];
    case 'registerMarket': {
      const time = wholeDate(Number(fields['endTime']));
      return [t('explorer.says.registerMarket', { question: textOf(fields['question']), time })];
    }
    case 'registerSeries': {
      if (fields['enabled'] === false) return [t('explorer.says.stopSeries', { title })];
      const [symbol, every] = [textOf(fields['symbol']), textOf(fields['recurrence'])];
      return [t('explorer.says.registerSeries', { title, symbol, every })];
    }
    case 'setTrading': {
      const state = textOf(fields['state']).toLowerCase();
      const key = state === 'open' ? 'openMarket' : state === 'halt' ? 'haltMarket' : 'closeMarket';
      return textsOf(fields['instrumentIds']).map((id) =>
        t(`explorer.says.${key}`, { market: nameOf(Number(id)) }),
      );
    }
    case 'pushPrice':
      return listOf(fields['prices']).map(({ px, source, symbol }) =>
        t('explorer.says.pushPrice', {
          symbol: textOf(symbol),
          source: textOf(source),
          price: number(textOf(px)),
        }),
      );
    case 'resolve':
      return resolveTexts(fields, nameOf, t);
    default:
      return [];
  }
}

function perpText(fields: Fields, t: Words): string {
  const [first] = listOf(fieldsOf(fields['marginTable'])['tiers']);
  const rate = (key: string): string => percent(textOf(fields[key]), { decimals: FEE_DECIMALS });
  return t('explorer.says.registerPerp', {
    name: textOf(fields['name']),
    tick: textOf(fields['priceTick']),
    leverage: textOf(first?.['maxLeverage']),
    taker: rate('takerFeeRate'),
    maker: rate('makerFeeRate'),
  });
}

function perpChanges(fields: Fields, market: string, t: Words): readonly string[] {
  return Object.entries(fields)
    .filter(([field, value]) => field !== 'instrumentId' && value !== undefined)
    .map(([field, value]) => {
      if (field === 'haltTrading') {
        return t(value === true ? 'explorer.says.haltPerp' : 'explorer.says.resumePerp', {
          market,
        });
      }
      if (field === 'delisted') return t('explorer.says.delistPerp', { market });
      if (field === 'onlyIsolated') {
        return t(value === true ? 'explorer.says.isolatedOnly' : 'explorer.says.anyMargin', {
          market,
        });
      }
      if (field === 'marginTable') return t('explorer.says.marginTable', { market });
      const shown = Array.isArray(value) ? textsOf(value).join(', ') : textOf(value);
      return t('explorer.says.setField', { field, market, value: shown });
    });
}

const LISTS = ['whitelist', 'blacklist', 'accessCodes', 'grants'] as const;

function gateTexts(fields: Fields, t: Words): readonly string[] {
  const channel = t(fields['channel'] === 0 ? 'explorer.says.perp' : 'explorer.says.outcome');
  const mode = (['open', 'whitelist', 'accessCode', 'closed'] as const).find(
    (each) => each.toLowerCase() === textOf(fields['mode']).toLowerCase(),
  );
  const texts = [
    ...(mode === undefined
      ? []
      : [t('explorer.says.gateMode', { channel, mode: t(`explorer.says.modes.${mode}`) })]),
    ...LISTS.filter((list) => fields[list] !== undefined).map((list) => {
      const { add, remove } = fieldsOf(fields[list]);
      const count = (entries: unknown): number => (Array.isArray(entries) ? entries.length : 0);
      return t('explorer.says.gateList', {
        channel,
        list: t(`explorer.says.lists.${list}`),
        added: count(add),
        removed: count(remove),
      });
    }),
  ];
  return texts.length === 0 ? [t('explorer.says.gateAsIs', { channel })] : texts;
}

function operatorTexts({ add, remove, role }: Fields, t: Words): readonly string[] {
  const isAdmin = textOf(role).toLowerCase() === 'admins';
  return [
    ...textsOf(add).map((user) =>
      t(isAdmin ? 'explorer.says.addAdmin' : 'explorer.says.addDeployer', { user }),
    ),
    ...textsOf(remove).map((user) =>
      t(isAdmin ? 'explorer.says.dropAdmin' : 'explorer.says.dropDeployer', { user }),
    ),
  ];
}

function resolveTexts(fields: Fields, nameOf: NameOf, t: Words): readonly string[] {
  const yes = textOf(fields['settlementFraction']);
  const evidence = textOf(fields['evidence']);
  const market = nameOf(Number(fields['instrumentId']));
  const no = isDecimal(yes) ? number(subtract('1', yes)) : '';
  return [
    t('explorer.says.resolve', { market, yes: number(yes), no }),
    ...(evidence === '' ? [] : [t('explorer.says.evidence', { evidence })]),
  ];
}
