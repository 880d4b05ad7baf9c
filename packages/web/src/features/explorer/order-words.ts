import { isDecimal, multiply } from '../../lib/decimal.ts';
import { cents, number, percent } from '../../lib/format.ts';
import { wholeDate } from '../../lib/time.ts';
import type { Words } from '../../lib/words.ts';
import { fieldsOf, listOf, textOf, type Fields } from './action-fields.ts';
import type { NameOf, Sentence } from './sentence.ts';

/** Ids of outcome markets begin here. */
export const OUTCOME_ID_MIN = 100_000;
/** A builder's fee is in tenths of a basis point. */
const BUILDER_UNIT = '0.00001';
const RATE_DECIMALS = 3;

/** Each order, and how they belong together. */
export function orderSentences(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
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
