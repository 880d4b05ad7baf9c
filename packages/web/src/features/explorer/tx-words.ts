import { cents, number, percent } from '../../lib/format.ts';
import { wholeDate } from '../../lib/time.ts';
import type { Words } from '../../lib/words.ts';
import {
  type Fields,
  fieldsOf,
  listOf,
  type NameOf,
  type Sentence,
  textOf,
  textsOf,
} from './sentence.ts';
import { operatorSentences } from './operator-sentences.ts';
import { isDecimal, multiply } from '../../lib/decimal.ts';

/** A request as sentences, those of its entries numbered as the venue answers them. */
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

/** Which markets a request names, so that their names can be asked for. */
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

/** What several signed together: the request inside, and for whom. */
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
      text: t('explorer.says.cancel', {
        oid: textOf(o ?? cloid),
        market: nameOf(Number(a ?? id)),
      }),
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

/** Of how markets are traded, and of positions in them. */
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

/** Margin is moved in millionths of a dollar, upwards or down. */
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

/** Ids of outcome markets begin here. */
export const OUTCOME_ID_MIN = 100_000;
/** A builder's fee is in tenths of a basis point. */
const BUILDER_UNIT = '0.00001';
const RATE_DECIMALS = 3;

/** Each order, and how they belong together. */
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
  // On an outcome market the two flags tell the leg: whoever bids and reduces sells NO.
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

/** Of what moves money, and of keys. */
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

/** The set of signers is a text inside the request. */
function signersText(json: string, t: Words): string {
  let set: unknown = null;
  try {
    set = JSON.parse(json);
  } catch {
    // What nobody can read changed nothing; the error beside it says so.
  }
  const { authorizedUsers, threshold } = fieldsOf(set);
  const users = textsOf(authorizedUsers);
  if (users.length === 0) return t('explorer.says.ordinary');
  return t('explorer.says.signers', { count: Number(threshold), users: users.join(', ') });
}
