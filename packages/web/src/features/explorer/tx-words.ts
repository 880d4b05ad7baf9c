import { number } from '../../lib/format.ts';
import { wholeDate } from '../../lib/time.ts';
import type { Words } from '../../lib/words.ts';
import { accountSentences } from './account-sentences.ts';
import { fieldsOf, listOf, textOf, type Fields } from './action-fields.ts';
import { operatorSentences } from './operator-sentences.ts';
import { orderSentences } from './order-words.ts';
import type { NameOf, Sentence } from './sentence.ts';

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
