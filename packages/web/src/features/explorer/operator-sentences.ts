import { isDecimal, subtract } from '../../lib/decimal.ts';
import { number, percent } from '../../lib/format.ts';
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

/** What operators do. Exactly one variant is in a request. */

const RATE_DECIMALS = 4;
/** Of long lists only the first are put into words; all of it stands below. */
const SHOWN_MAX = 20;

export function operatorSentences(action: Fields, nameOf: NameOf, t: Words): readonly Sentence[] {
  const [variant] = Object.keys(action).filter((key) => key !== 'type');
  if (variant === undefined) return [];
  const said = variantTexts(variant, fieldsOf(action[variant]), nameOf, t);
  const more = said.length - SHOWN_MAX;
  const shown = said.slice(0, SHOWN_MAX).map((text) => ({ text }));
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

/** Of outcome markets. */
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
  const rate = (key: string): string => percent(textOf(fields[key]), { decimals: RATE_DECIMALS });
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

/** Who and which codes stays with the request: of the lists only how much they change. */
function gateTexts(fields: Fields, t: Words): readonly string[] {
  const channel = t(fields['channel'] === 0 ? 'explorer.says.perp' : 'explorer.says.outcome');
  const mode = (['open', 'whitelist', 'accessCode', 'closed'] as const).find(
    (each) => each.toLowerCase() === textOf(fields['mode']).toLowerCase(),
  );
  const said = [
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
  return said.length === 0 ? [t('explorer.says.gateAsIs', { channel })] : said;
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
