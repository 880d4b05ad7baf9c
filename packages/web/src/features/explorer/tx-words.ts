import { number } from '../../lib/format.ts';
import { wholeDate } from '../../lib/time.ts';
import type { Words } from '../../lib/words.ts';

/** A request as sentences. It is shown as it was received: what does not look as it should is passed over. */

export type Sentence = {
  readonly text: string;
  /** Buying and selling have a colour. */
  readonly side?: 'buy' | 'sell' | undefined;
};

/** Names an instrument by its id. */
export type NameOf = (id: number) => string;

type Fields = Readonly<Record<string, unknown>>;

/** Ids of outcome markets begin here. */
const OUTCOME_ID_MIN = 100_000;

export function sentencesOf(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
  const name = (field: string): string => nameOf(Number(action[field]));
  const say = (text: string): readonly Sentence[] => [{ text }];
  switch (action['type']) {
    case 'order':
      return listOf(action['orders']).map((order) => orderSentence(order, nameOf, t));
    case 'cancel':
      return listOf(action['cancels']).map(({ a, o }) => ({
        text: t('explorer.says.cancel', { oid: textOf(o), market: nameOf(Number(a)) }),
      }));
    case 'cancelByCloid':
      return listOf(action['cancels']).map(({ asset, cloid }) => ({
        text: t('explorer.says.cancel', { oid: textOf(cloid), market: nameOf(Number(asset)) }),
      }));
    case 'cancelAll':
      return say(
        action['asset'] === undefined
          ? t('explorer.says.cancelAll')
          : t('explorer.says.cancelAllOf', { market: name('asset') }),
      );
    case 'modify2':
      return say(
        t('explorer.says.modify', {
          oid: textOf(action['o'] ?? action['c']),
          market: name('a'),
          size: number(textOf(action['s'])),
          price: number(textOf(action['p'])),
        }),
      );
    case 'scheduleCancel':
      return say(
        action['time'] === undefined
          ? t('explorer.says.unscheduleCancel')
          : t('explorer.says.scheduleCancel', { time: wholeDate(Number(action['time'])) }),
      );
    case 'updateLeverage':
      return say(
        t('explorer.says.leverage', {
          market: name('asset'),
          leverage: textOf(action['leverage']),
        }),
      );
    case 'updateMarginMode':
      return say(
        t(action['isCross'] === true ? 'explorer.says.cross' : 'explorer.says.isolated', {
          market: name('asset'),
        }),
      );
    case 'reversePosition':
      return say(t('explorer.says.reverse', { market: name('asset') }));
    case 'outcomeOperate':
      return [
        ...pairSentences(action['split'], 'explorer.says.split', nameOf, t),
        ...pairSentences(action['merge'], 'explorer.says.merge', nameOf, t),
      ];
    default:
      return accountSentences(action, t);
  }
}

/** Of what moves money, and of keys and operators. */
function accountSentences(action: Fields, t: Words): readonly Sentence[] {
  const say = (text: string): readonly Sentence[] => [{ text }];
  const amount = number(textOf(action['amount']));
  switch (action['type']) {
    case 'updatePositionMode':
      return say(t('explorer.says.positionMode', { mode: textOf(action['positionMode']) }));
    case 'updateIsolatedMargin':
      return [];
    case 'tokenSend':
      return say(
        t('explorer.says.send', {
          amount,
          from: textOf(action['fromAccountType']),
          to: textOf(action['toAccountType']),
          destination: textOf(action['destination']),
        }),
      );
    case 'withdraw3':
      return say(
        t('explorer.says.withdraw', { amount, destination: textOf(action['destination']) }),
      );
    case 'approveAgent':
      return say(
        t('explorer.says.agent', {
          agent: textOf(action['agentAddress']),
          name: textOf(action['agentName']),
        }),
      );
    case 'approveBuilderFee':
      return say(
        t('explorer.says.builder', {
          builder: textOf(action['builder']),
          rate: textOf(action['maxFeeRate']),
        }),
      );
    case 'venueAdmin':
    case 'outcomeDeploy':
      // Exactly one variant: its name says what was done, its fields are below.
      return Object.keys(action)
        .filter((key) => key !== 'type')
        .map((variant) => ({ text: t('explorer.says.operator', { variant }) }));
    default:
      return [];
  }
}

function orderSentence(order: Fields, nameOf: NameOf, t: Words): Sentence {
  const id = Number(order['a']);
  const isBid = order['b'] === true;
  const isReducing = order['r'] === true;
  const isOutcome = id >= OUTCOME_ID_MIN;
  // On an outcome market the two flags tell the leg: whoever bids and reduces sells NO.
  const leg = isOutcome ? ` ${isBid === isReducing ? t('explorer.no') : t('explorer.yes')}` : '';
  const isBuy = isOutcome ? !isReducing : isBid;
  const { trigger, limit } = fieldsOf(order['t']);
  const { triggerPx } = fieldsOf(trigger);
  const { tif } = fieldsOf(limit);
  const given = {
    size: number(textOf(order['s'])),
    market: nameOf(id) + leg,
    price: number(textOf(order['p'])),
  };
  const isMarket = /^(?:ioc|frontendmarket)$/i.test(textOf(tif));
  const what = isMarket
    ? t(isBuy ? 'explorer.says.buyNow' : 'explorer.says.sellNow', given)
    : t(isBuy ? 'explorer.says.buy' : 'explorer.says.sell', given);
  const rest = [
    ...(triggerPx === undefined
      ? []
      : [t('explorer.says.trigger', { price: number(textOf(triggerPx)) })]),
    ...(isReducing && !isOutcome ? [t('explorer.says.reduceOnly')] : []),
    ...(/^(?:alo|post_only)$/i.test(textOf(tif)) ? [t('explorer.says.postOnly')] : []),
  ];
  return { text: [what, ...rest].join(', '), side: isBuy ? 'buy' : 'sell' };
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

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
